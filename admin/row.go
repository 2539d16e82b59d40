package admin

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"relay/gateway/plan"
	"relay/store"
)

// statusMember is what a running server adds to hosts and host keys.
const statusMember = "status"

// view shows the records of a catalog with what the running server, if there is
// one, observes at the moment.
type view struct {
	catalog *store.Catalog
	hosts   map[string]plan.HostState
	keys    map[string]plan.KeyState
}

func (s *server) view(c *store.Catalog) *view {
	v := &view{catalog: c}
	if s.Live != nil {
		v.hosts, v.keys = s.Live.HostStates(), s.Live.KeyStates()
	}
	return v
}

// render writes a record as answers show it: ids with the names they stand
// for, no write-only member, and the state of hosts and host keys.
func (v *view) render(rec store.AnyRecord) (json.RawMessage, error) {
	row, err := members(rec)
	if err != nil {
		return nil, err
	}
	dropWriteOnly(row, rec)
	for path, name := range store.NamesOf(v.catalog, rec) {
		place(row, path, name)
	}
	switch id := rec.Meta().ID; rec.Kind() {
	case store.KindHost:
		observe(row, v.hosts, id)
	case store.KindHostKey:
		observe(row, v.keys, id)
	}
	return json.Marshal(row)
}

func observe[T any](row map[string]any, states map[string]T, id string) {
	if state, known := states[id]; known {
		row[statusMember] = state
	}
}

// members returns a record as decoded JSON.
func members(rec store.AnyRecord) (map[string]any, error) {
	text, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", rec.Kind(), rec.Meta().Name, err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	row := map[string]any{}
	if err := decoder.Decode(&row); err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", rec.Kind(), rec.Meta().Name, err)
	}
	return row, nil
}

func dropWriteOnly(row map[string]any, rec store.AnyRecord) {
	spec, _ := row["spec"].(map[string]any)
	eachField(reflect.ValueOf(rec.SpecValue()).Elem(), func(name string, field reflect.StructField, _ reflect.Value) {
		if field.Tag.Get("writeOnly") == "true" {
			delete(spec, name)
		}
	})
}

// eachField calls visit with the JSON name of every member of a struct.
func eachField(v reflect.Value, visit func(name string, field reflect.StructField, value reflect.Value)) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			visit(name, field, v.Field(i))
		}
	}
}

// place sets the member at a path such as spec.pools[0].hostNames. It does
// nothing when there is no such place.
func place(row map[string]any, path string, value any) {
	parent, last := any(row), path
	if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
		parent, last = at(row, path[:dot]), path[dot+1:]
	}
	if object, ok := parent.(map[string]any); ok {
		object[last] = value
	}
}

// at returns the value at a path, or nil.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(step, "[")
		object, _ := value.(map[string]any)
		value = object[name]
		if !indexed {
			continue
		}
		list, _ := value.([]any)
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil || i < 0 || i >= len(list) {
			return nil
		}
		value = list[i]
	}
	return value
}
