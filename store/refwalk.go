package store

import (
	"reflect"
	"slices"
	"strings"
)

// refSite is one reference inside a record: the text that holds it, and what it
// may point at.
type refSite struct {
	path  string
	ref   string // kind, refModels, refAccount or refVirtualGroup
	value reflect.Value
}

type target struct {
	kind Kind
	id   string
}

// targets returns the records that a resolved reference names.
func (s refSite) targets() []target {
	text := s.value.String()
	switch s.ref {
	case refModels:
		parts, err := ParseModelRef(ModelRef(text))
		if err != nil {
			return nil
		}
		all := []target{{KindProvider, parts.Provider}, {KindHost, parts.Host}}
		if IsID(parts.Model) {
			all = append(all, target{KindModel, parts.Model})
		}
		return slices.DeleteFunc(all, func(t target) bool { return t.id == "" })
	case refAccount:
		parts, err := ParseAccountRef(AccountRef(text))
		if err != nil {
			return nil
		}
		return parts.targets()
	case refVirtualGroup:
		return []target{{KindProject, strings.TrimPrefix(text, groupOfProjectsPrefix)}}
	}
	return []target{{Kind(s.ref), text}}
}

// eachRef visits every reference of a record that is not empty: those with a
// ref tag, those of type Ref, and the owner.
func eachRef(rec AnyRecord, visit func(refSite)) {
	if owner := rec.Meta().Owner; owner != nil {
		visitRef("metadata.owner", owner, visit)
	}
	walkRefs("spec", "", reflect.ValueOf(rec.SpecValue()).Elem(), visit)
}

func visitRef(path string, ref *Ref, visit func(refSite)) {
	if ref.ID == "" || !isKind(ref.Kind) {
		return
	}
	to := string(ref.Kind)
	if ref.Kind == KindGroup && strings.HasPrefix(ref.ID, virtualPrefix) {
		if !strings.HasPrefix(ref.ID, groupOfProjectsPrefix) {
			return
		}
		to = refVirtualGroup
	}
	visit(refSite{path + ".id", to, reflect.ValueOf(&ref.ID).Elem()})
}

func walkRefs(path, ref string, v reflect.Value, visit func(refSite)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkRefs(path, ref, v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkRefs(item(path, i), ref, v.Index(i), visit)
		}
	case reflect.String:
		if ref != "" && v.String() != "" {
			visit(refSite{path, ref, v})
		}
	case reflect.Struct:
		walkFields(path, v, visit)
	}
}

func walkFields(path string, v reflect.Value, visit func(refSite)) {
	if ref, ok := v.Addr().Interface().(*Ref); ok {
		visitRef(path, ref, visit)
		return
	}
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			walkRefs(path+"."+name, field.Tag.Get("ref"), v.Field(i), visit)
		}
	}
}
