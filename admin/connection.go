package admin

import (
	"net/url"
	"slices"
	"strings"

	"relay/store"
)

// connection is what a connect request means for a catalog: records that are
// to be written, which have an id when they are there already.
type connection struct {
	host    *store.Host
	account *store.HostAccount // nil: none was named
	key     *store.HostKey     // nil: the host takes none
	changed bool               // the host is to be written
	notes   []string
}

// draft works out the records for c, without changing it.
func (in *ConnectRequest) draft(c *store.Catalog) (*connection, error) {
	d := &connection{}
	if err := d.chooseHost(c, in); err != nil {
		return nil, err
	}
	if err := d.chooseAccount(c, in); err != nil {
		return nil, err
	}
	if err := d.chooseKey(c, in); err != nil {
		return nil, err
	}
	return d, d.validate()
}

// validate finds what the write would refuse before anybody is called.
func (d *connection) validate() error {
	problems := store.Validate(d.host)
	if d.key != nil {
		problems = append(problems, store.Validate(d.key)...)
	}
	for i := range problems {
		problems[i] = store.Problem{Field: requestMember(problems[i]), Message: problems[i].Message}
	}
	return invalid(problems...)
}

// requestMember names the member of the request that a fault of a record comes
// from.
func requestMember(p store.Problem) string {
	switch p.Field {
	case "metadata.name":
		return "host"
	case "spec.source.env":
		return "env"
	case "spec.source.path":
		return "file"
	}
	return strings.TrimPrefix(p.Field, "spec.")
}

func (d *connection) chooseHost(c *store.Catalog, in *ConnectRequest) error {
	known := c.Hosts.ByName(in.Host)
	if known == nil {
		known = c.Hosts.Get(in.Host)
	}
	if known == nil {
		return d.newHost(in)
	}
	host, err := copyOf(known)
	if err != nil {
		return err
	}
	d.host = host
	if err := d.keepBaseURL(in); err != nil {
		return err
	}
	if !store.Enabled(host.Spec.Enabled) {
		host.Spec.Enabled, d.changed = nil, true
		d.note("host " + host.Metadata.Name + " is switched on")
	}
	return in.checkKnown(host)
}

func (d *connection) newHost(in *ConnectRequest) error {
	if in.BaseURL == "" {
		return invalid(store.Problem{Field: "baseURL", Message: "must be given, since the catalog has no host of this name"})
	}
	base, note := store.NormalizeBaseURL(in.BaseURL)
	d.note(note)
	shapes := in.Shapes
	if len(shapes) == 0 {
		shapes = []store.Shape{usualShape(base)}
	}
	d.changed = true
	d.host = &store.Host{
		Metadata: store.Metadata{Name: in.Host},
		Spec:     store.HostSpec{BaseURL: base, Shapes: shapes, Auth: or(in.Auth, in.usualAuth(shapes[0]))},
	}
	return nil
}

// usualShape guesses by the port that Ollama listens on; almost everybody else
// speaks the other.
func usualShape(base string) store.Shape {
	if u, err := url.Parse(base); err == nil && u.Port() == "11434" {
		return store.ShapeOllama
	}
	return store.ShapeOpenAI
}

func (in *ConnectRequest) usualAuth(shape store.Shape) string {
	switch {
	case in.Value.IsZero() && in.Env == "" && in.File == "":
		return "none"
	case shape == store.ShapeAnthropic:
		return "x-api-key"
	case shape == store.ShapeGemini:
		return "x-goog-api-key"
	}
	return "bearer"
}

// keepBaseURL fills in a shipped base URL with placeholders, and refuses to
// move a host that has keys elsewhere.
func (d *connection) keepBaseURL(in *ConnectRequest) error {
	open := store.BaseURLPlaceholders(d.host.Spec.BaseURL)
	if in.BaseURL == "" {
		if len(open) > 0 {
			return invalid(store.Problem{Field: "baseURL", Message: "must be given: the shipped one, " + d.host.Spec.BaseURL +
				", leaves open " + strings.Join(open, ", ")})
		}
		return nil
	}
	base, note := store.NormalizeBaseURL(in.BaseURL)
	d.note(note)
	switch {
	case base == d.host.Spec.BaseURL:
	case len(open) > 0:
		d.host.Spec.BaseURL, d.changed = base, true
	default:
		return unprocessable(store.Problem{Field: "baseURL", Message: "is not that of the host of this name, " + d.host.Spec.BaseURL +
			": leave it out, or connect under another name"})
	}
	return nil
}

func (in *ConnectRequest) checkKnown(host *store.Host) error {
	if len(in.Shapes) > 0 && !slices.Equal(in.Shapes, host.Spec.Shapes) {
		return unprocessable(store.Problem{Field: "shapes", Message: "are not those of the host of this name: leave them out, or change the host"})
	}
	if in.Auth != "" && in.Auth != host.Spec.Auth {
		return unprocessable(store.Problem{Field: "auth", Message: "is not that of the host of this name: leave it out, or change the host"})
	}
	return nil
}

func (d *connection) note(text string) {
	if text != "" {
		d.notes = append(d.notes, text)
	}
}

// put writes the records, and binds the models that the host has listed.
func (d *connection) put(e *store.Edit, listed []string) ([]FoundModel, []string, error) {
	if d.changed {
		if err := e.Put(d.host); err != nil {
			return nil, nil, err
		}
	}
	if err := d.putAccount(e); err != nil {
		return nil, nil, err
	}
	if d.key != nil {
		if err := e.Put(d.key); err != nil {
			return nil, nil, err
		}
	}
	return binder{e, d.host}.bindAll(listed)
}

func (d *connection) putAccount(e *store.Edit) error {
	if d.account == nil {
		return nil
	}
	if d.account.Metadata.ID == "" {
		if err := e.Put(d.account); err != nil {
			return err
		}
	}
	if d.key != nil {
		d.key.Spec.AccountID = d.account.Metadata.ID
	}
	return nil
}
