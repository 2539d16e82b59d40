package admin

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
)

type listInput struct {
	Q      string   `query:"q" doc:"Text that the name, display name or description holds."`
	Label  []string `query:"label,explode" doc:"key=value, or key alone for any value; given more than once, all must match."`
	Sort   string   `query:"sort" enum:"name,-name,displayName,-displayName,createdAt,-createdAt,updatedAt,-updatedAt" doc:"A member to sort by; a minus reverses it. By name when absent."`
	Limit  int      `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Rows a page."`
	Cursor string   `query:"cursor" doc:"The next of the page before."`
	Usable bool     `query:"usable" doc:"Leave out shipped rows that wait for a key."`
	ListFilters
}

// page is what a list answers: total counts the rows of all pages.
type page struct {
	Items []json.RawMessage `json:"items"`
	Total int               `json:"total"`
	Next  string            `json:"next,omitempty"`
}

type listOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       page
}

func (r *resource[S]) listRoute() {
	op := answering(r.operation(http.MethodGet, "", "list", "List"), http.StatusOK, pageSchema(r.schema))
	huma.Register(r.api, op, func(ctx context.Context, in *listInput) (*listOutput, error) {
		c := r.DB.Catalog()
		body, err := r.list(errandOf(ctx), c, in)
		if err != nil {
			return nil, r.refusal(err)
		}
		return &listOutput{Generation: c.Generation, Body: *body}, nil
	})
	documentFilters(r.api.OpenAPI().Paths[r.path].Get, r.kind)
}

func pageSchema(item *huma.Schema) *huma.Schema {
	return &huma.Schema{
		Type:     huma.TypeObject,
		Required: []string{"items", "total"},
		Properties: map[string]*huma.Schema{
			"items": {Type: huma.TypeArray, Items: item},
			"total": {Type: huma.TypeInteger, Description: "Rows on all pages."},
			"next":  {Type: huma.TypeString, Description: "The cursor of the next page; absent on the last."},
		},
	}
}

func (r *resource[S]) list(k *errand, c *store.Catalog, in *listInput) (*page, error) {
	order := ordering(in.Sort)
	after, err := parseCursor(in.Cursor, in.Sort)
	if err != nil {
		return nil, err
	}
	selected, err := in.selection(c, r.kind)
	if err != nil {
		return nil, err
	}
	var rows []store.AnyRecord
	shown := func(store.AnyRecord) bool { return true }
	if in.Usable {
		shown = newUsable(c).shows
	}
	for rec := range c.Of(r.kind).Each() {
		if in.selects(rec.Meta()) && selected(rec) && shown(rec) && k.mayRow(c, rec, store.VerbList) {
			rows = append(rows, rec)
		}
	}
	slices.SortFunc(rows, order.compare)
	return r.page(c, rows, order, after, in)
}

func (r *resource[S]) page(c *store.Catalog, rows []store.AnyRecord, order order, after *cursor, in *listInput) (*page, error) {
	out := &page{Items: []json.RawMessage{}, Total: len(rows)}
	if after != nil {
		start, found := slices.BinarySearchFunc(rows, *after, order.past)
		if found {
			start++
		}
		rows = rows[start:]
	}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		out.Next = order.cursor(rows[in.Limit-1], in.Sort)
	}
	shown := r.view(c)
	for _, rec := range rows {
		row, err := shown.render(rec)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, row)
	}
	return out, nil
}

func (in *listInput) selects(m *store.Metadata) bool {
	q := strings.ToLower(in.Q)
	text := strings.ToLower(m.Name + "\n" + m.DisplayName + "\n" + m.Description)
	return strings.Contains(text, q) && !slices.ContainsFunc(in.Label, func(label string) bool {
		key, want, valued := strings.Cut(label, "=")
		got, present := m.Labels[key]
		return !present || valued && got != want
	})
}

// order sorts records by one member and, where that is equal, by id.
type order struct {
	key      func(*store.Metadata) string
	reversed bool
}

func ordering(sort string) order {
	member, reversed := strings.CutPrefix(sort, "-")
	keys := map[string]func(*store.Metadata) string{
		"displayName": func(m *store.Metadata) string { return strings.ToLower(m.DisplayName) },
		"createdAt":   func(m *store.Metadata) string { return sortableTime(m.CreatedAt) },
		"updatedAt":   func(m *store.Metadata) string { return sortableTime(m.UpdatedAt) },
	}
	key, known := keys[member]
	if !known {
		key = func(m *store.Metadata) string { return strings.ToLower(m.Name) }
	}
	return order{key: key, reversed: reversed}
}

func sortableTime(at time.Time) string {
	return at.UTC().Format("2006-01-02T15:04:05.000000000")
}

func (o order) compare(a, b store.AnyRecord) int {
	return o.past(a, cursor{Key: o.key(b.Meta()), ID: b.Meta().ID})
}

// past places rec before, at or behind the cursor.
func (o order) past(rec store.AnyRecord, c cursor) int {
	n := cmp.Or(strings.Compare(o.key(rec.Meta()), c.Key), strings.Compare(rec.Meta().ID, c.ID))
	if o.reversed {
		return -n
	}
	return n
}

// cursor is the place of the last row of a page, so that rows made or deleted
// meanwhile shift nothing.
type cursor struct {
	Sort string `json:"s,omitempty"`
	Key  string `json:"k"`
	ID   string `json:"i"`
}

func (o order) cursor(rec store.AnyRecord, sort string) string {
	text, _ := json.Marshal(cursor{Sort: sort, Key: o.key(rec.Meta()), ID: rec.Meta().ID}) // strings always encode
	return base64.RawURLEncoding.EncodeToString(text)
}

func parseCursor(text, sort string) (*cursor, error) {
	if text == "" {
		return nil, nil
	}
	c := new(cursor)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(raw, c) != nil || c.Sort != sort {
		return nil, invalid(store.Problem{Field: "query.cursor", Message: "must be the next of a page of the same list and sort"})
	}
	return c, nil
}
