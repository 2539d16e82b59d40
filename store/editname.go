package store

func (e *Edit) nameRecord(table Records, rec, former AnyRecord) error {
	m := rec.Meta()
	if m.Name == "" && former != nil {
		m.Name = former.Meta().Name
	}
	if m.Name == "" {
		m.Name = e.madeName(table, rec)
	}
	other := table.FindByName(m.Name)
	if other == nil || other.Meta().ID == m.ID {
		return nil
	}
	problem := Problem{Kind: table.Kind(), Name: m.Name, Field: "metadata.name", Message: "is taken: choose another name, or change the record that has it"}
	return ProblemsError(CodeConflict, []Problem{problem})
}

// madeName makes a name for a record that comes without one.
func (e *Edit) madeName(table Records, rec AnyRecord) string {
	wording := rec.Meta().DisplayName
	switch spec := rec.SpecValue().(type) {
	case *PolicyBindingSpec:
		if name := PolicyBindingName(e.next, spec.Account); name != "" {
			return name
		}
	case *HostBindingSpec:
		if wording == "" {
			wording = e.next.nameOf(KindModel, spec.ModelID) + "-" + e.next.nameOf(KindHost, spec.HostID)
		}
	case *RoleBindingSpec:
		if wording == "" {
			wording = e.roleBindingWords(spec)
		}
	}
	return NameFrom(wording, func(name string) bool { return table.FindByName(name) != nil })
}

// roleBindingWords says who has which role where.
func (e *Edit) roleBindingWords(spec *RoleBindingSpec) string {
	words := e.next.nameOf(KindRole, spec.RoleID) + "-" + e.next.nameOf(spec.Scope.Kind, spec.Scope.ID)
	if len(spec.Subjects) > 0 {
		words = e.next.nameOf(spec.Subjects[0].Kind, spec.Subjects[0].ID) + "-" + words
	}
	return words
}
