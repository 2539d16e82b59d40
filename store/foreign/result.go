package foreign

import (
	"fmt"
	"io"
	"slices"

	"relay/store"
	"relay/store/catalogdata"
	"relay/store/manifest"
)

// Label is on every record, with the name of the gateway that it came from.
const Label = "imported-from"

// Options tell the readers about their surroundings.
type Options struct {
	LookupEnv func(name string) (value string, set bool) // nil: no variable is set
	Catalogue *catalogdata.Data                          // nil: the embedded one
}

// Result is what a configuration says in Relay's words.
type Result struct {
	// Records have names in the place of ids. Host keys whose value stood in the
	// configuration have the source stored.
	Records []store.AnyRecord
	// Secrets are the values of those host keys, by name.
	Secrets map[string]store.Secret
	// Variables are those from which host keys take their values.
	Variables []string
	Report    *Report
}

// WriteManifests writes the records as manifests. No secret is in them: a host
// key whose value stood in the configuration reads a variable named after it.
func (r *Result) WriteManifests(w io.Writer) error {
	draft := store.NewDraft(store.NewCatalog())
	for _, rec := range r.Records {
		if err := draft.Put(rec); err != nil {
			return fmt.Errorf("write %s %s: %w", rec.Kind(), rec.Meta().Name, err)
		}
	}
	return manifest.Export(draft.Catalog(), w)
}

// result ends a reading. A record that would not be taken is a fault of the
// configuration that no reader has told of.
func (b *builder) result() (*Result, error) {
	for _, rec := range b.records {
		for _, p := range store.Validate(rec) {
			if stored(rec) && p.Field == "spec.value" {
				continue
			}
			return nil, fmt.Errorf("%s %s cannot be taken over: %s %s", rec.Kind(), rec.Meta().Name, p.Field, p.Message)
		}
	}
	slices.Sort(b.variables)
	return &Result{Records: b.records, Secrets: b.secrets, Variables: slices.Compact(b.variables), Report: b.report}, nil
}

func stored(rec store.AnyRecord) bool {
	key, ok := rec.(*store.HostKey)
	return ok && key.Spec.Source.Kind == "stored"
}
