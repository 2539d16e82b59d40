package admin

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// Answers carry, beside each reference, a read-only member with the name that
// it stands for: rateLimitName beside rateLimitId. Bodies may hold these too,
// so that what was read can be edited and sent back.

// nameBeside returns the member that carries the name, or names, for a
// reference; "" when the field is none.
func nameBeside(field reflect.StructField) string {
	member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case field.Tag.Get("ref") == "":
		return ""
	case field.Type.Kind() != reflect.Slice:
		return strings.TrimSuffix(member, "Id") + "Name"
	case strings.HasSuffix(member, "Ids"):
		return strings.TrimSuffix(member, "Ids") + "Names"
	}
	return strings.TrimSuffix(member, "s") + "Names"
}

// recordSchema is the schema of a record type with the members that answers
// add to it.
func recordSchema(api huma.API, t reflect.Type) *huma.Schema {
	registry := api.OpenAPI().Components.Schemas
	schema := registry.Schema(t, true, "")
	addNames(registry, t, map[reflect.Type]bool{})
	if kind := reflect.New(t).Interface(); isObserved(kind) {
		registry.SchemaFromRef(schema.Ref).Properties[statusMember] = &huma.Schema{
			Type: huma.TypeObject, ReadOnly: true, AdditionalProperties: true,
			Description: "What the running server observes; ignored in bodies.",
		}
	}
	return schema
}

func isObserved(rec any) bool {
	switch rec.(type) {
	case *store.Host, *store.HostKey:
		return true
	}
	return false
}

func addNames(registry huma.Registry, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	schema := registry.Schema(t, false, "")
	if schema == nil || schema.Properties == nil {
		return
	}
	if t == reflect.TypeFor[store.Ref]() {
		schema.Properties["name"] = nameSchema(huma.TypeString)
	}
	for _, field := range reflect.VisibleFields(t) {
		if member := nameBeside(field); member != "" {
			schema.Properties[member] = nameSchema(typeOfNames(field))
		}
		addNames(registry, field.Type, seen)
	}
}

func typeOfNames(field reflect.StructField) string {
	if field.Type.Kind() == reflect.Slice {
		return huma.TypeArray
	}
	return huma.TypeString
}

func nameSchema(kind string) *huma.Schema {
	schema := &huma.Schema{Type: kind, ReadOnly: true, Description: "What the reference beside it stands for."}
	if kind == huma.TypeArray {
		schema.Items = &huma.Schema{Type: huma.TypeString}
	}
	return schema
}

// checkNames refuses a sent name that is neither what its reference stands for
// nor what it stood for before: somebody meant to change it.
func checkNames(c *store.Catalog, rec, former store.AnyRecord, body json.RawMessage) error {
	var raw any
	if err := decodeJSON(body, &raw); err != nil {
		return invalid(store.Problem{Message: err.Error()})
	}
	now, before := store.NamesOf(c, rec), store.NamesOf(c, former)
	var faults []store.Problem
	sentNames("", reflect.ValueOf(rec).Elem(), raw, func(path string, sent any) {
		if !sameNames(sent, now[path]) && !sameNames(sent, before[path]) {
			faults = append(faults, store.Problem{Field: path, Message: "is read-only: change the reference beside it, which takes a name or an id"})
		}
	})
	return invalid(faults...)
}

// sentNames calls visit for every name beside a reference that a body holds,
// where v is what the body was decoded into.
func sentNames(path string, v reflect.Value, raw any, visit func(path string, sent any)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			sentNames(path, v.Elem(), raw, visit)
		}
	case reflect.Slice:
		list, _ := raw.([]any)
		for i := range min(v.Len(), len(list)) {
			sentNames(path+"["+strconv.Itoa(i)+"]", v.Index(i), list[i], visit)
		}
	case reflect.Struct:
		if object, ok := raw.(map[string]any); ok {
			sentInStruct(path, v, object, visit)
		}
	}
}

func sentInStruct(path string, v reflect.Value, object map[string]any, visit func(path string, sent any)) {
	report := func(member string) {
		if sent, ok := object[member]; ok && member != "" {
			visit(strings.TrimPrefix(path+"."+member, "."), sent)
		}
	}
	if v.Type() == reflect.TypeFor[store.Ref]() {
		report("name")
	}
	eachField(v, func(name string, field reflect.StructField, value reflect.Value) {
		report(nameBeside(field))
		sentNames(strings.TrimPrefix(path+"."+name, "."), value, object[name], visit)
	})
}

func sameNames(sent, known any) bool {
	list, isList := sent.([]any)
	if !isList {
		return sent == known
	}
	names, _ := known.([]string)
	return slices.EqualFunc(list, names, func(a any, b string) bool { return a == b })
}
