package store

import (
	"reflect"
	"strings"
)

// tags checks what the struct tags of a spec promise: enum members hold one of
// their values, references without omitempty are given, durations are not
// negative.
func (f *faults) tags(rec AnyRecord) {
	f.tagsOf("spec", reflect.ValueOf(rec.SpecValue()).Elem())
}

func (f *faults) tagsOf(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.tagsOf(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.tagsOf(item(path, i), v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				f.tagsOfField(path, field, v.Field(i))
			}
		}
	case reflect.Int64:
		if d, ok := v.Interface().(Duration); ok && d < 0 {
			f.add(path, "must not be negative")
		}
	}
}

func (f *faults) tagsOfField(path string, field reflect.StructField, v reflect.Value) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	path += "." + name
	optional := strings.Contains(options, "omit")
	if v.Kind() == reflect.String {
		f.enum(path, field.Tag.Get("enum"), v.String(), optional)
		if v.String() == "" && !optional {
			f.addIf(path, missingRef(field.Tag.Get("ref")))
		}
		return
	}
	f.tagsOf(path, v)
}

func (f *faults) enum(path, choices, value string, optional bool) {
	if choices == "" || value == "" && optional {
		return
	}
	f.choice(path, value, strings.Split(choices, ","))
}

func missingRef(target string) string {
	switch target {
	case "":
		return ""
	case refAccount:
		return "must name an account, such as team:NAME or project:NAME"
	}
	return "must name a " + target
}
