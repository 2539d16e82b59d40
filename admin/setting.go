package admin

import "relay/store"

// keepSection refuses to turn the settings of one section into those of another.
func keepSection(rec, former *store.Setting) error {
	if former.Metadata.ID == "" || rec.Metadata.Name == "" || rec.Metadata.Name == former.Metadata.Name {
		return nil
	}
	return invalid(store.Problem{Field: "metadata.name", Message: "must stay: it names the section"})
}
