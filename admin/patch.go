package admin

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// mergedInto applies a JSON merge patch (RFC 7396) to a record.
func mergedInto(rec store.AnyRecord, patch json.RawMessage) (json.RawMessage, error) {
	row, err := members(rec)
	if err != nil {
		return nil, err
	}
	var change map[string]any
	if err := decodeJSON(patch, &change); err != nil || change == nil {
		return nil, invalid(store.Problem{Message: "a merge patch of a record is an object"})
	}
	return json.Marshal(merge(row, change))
}

func merge(target map[string]any, change map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for name, value := range change {
		switch value := value.(type) {
		case nil:
			delete(target, name)
		case map[string]any:
			former, _ := target[name].(map[string]any)
			target[name] = merge(former, value)
		default:
			target[name] = value
		}
	}
	return target
}

// validated checks a record that was not sent as a whole against its schema,
// as huma does with bodies.
func validated(api huma.API, schema *huma.Schema, body json.RawMessage) error {
	var value any
	if err := decodeJSON(body, &value); err != nil {
		return invalid(store.Problem{Message: err.Error()})
	}
	result := &huma.ValidateResult{}
	path := huma.NewPathBuffer(nil, 0)
	huma.Validate(api.OpenAPI().Components.Schemas, schema, path, huma.ModeWriteToServer, value, result)
	if len(result.Errors) == 0 {
		return nil
	}
	problems := make([]store.Problem, len(result.Errors))
	for i, err := range result.Errors {
		problems[i] = faultOf(err)
	}
	return invalid(problems...)
}
