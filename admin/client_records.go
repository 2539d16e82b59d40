package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"relay/store"
)

// ListQuery selects rows of a list. The zero value selects the first hundred.
type ListQuery struct {
	Q      string   // text in name, display name or description
	Labels []string // key=value, or key alone; all must match
	Sort   string   // a member, with a minus in front to reverse
	Limit  int      // rows a page, 1000 at most
	Cursor string   // Next of the page before
	Usable bool     // leave out shipped rows that wait for a key

	Filters map[string]string // the kind's own, such as host or project
}

func (q ListQuery) values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"q": q.Q, "sort": q.Sort, "cursor": q.Cursor} {
		if value != "" {
			values.Set(name, value)
		}
	}
	filterValues(values, q.Filters)
	if q.Usable {
		values.Set("usable", "true")
	}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if len(q.Labels) > 0 {
		values["label"] = q.Labels
	}
	return values
}

// Page is one page of a list of T.
type Page[T any] struct {
	Items []T    `json:"items"`
	Total int    `json:"total"` // rows of all pages
	Next  string `json:"next"`  // the cursor of the next page; "" on the last
}

// ListRaw returns a page of rows of the kind as the API shows them.
func (c *Client) ListRaw(ctx context.Context, kind store.Kind, q ListQuery) (*Page[json.RawMessage], error) {
	return get[Page[json.RawMessage]](ctx, c, plural(kind), q.values())
}

// GetRaw returns the row with the name or id as the API shows it, with its
// ETag.
func (c *Client) GetRaw(ctx context.Context, kind store.Kind, ref string) (*Answer, error) {
	return c.send(ctx, request{method: http.MethodGet, path: plural(kind) + "/" + url.PathEscape(ref)})
}

// CreateRaw makes a record from JSON. For relay keys use CreateKey.
func (c *Client) CreateRaw(ctx context.Context, kind store.Kind, body json.RawMessage) (*Answer, error) {
	return c.send(ctx, request{method: http.MethodPost, path: plural(kind), body: body})
}

// ReplaceRaw puts a whole record in the place of the one with the id. An ETag
// makes it fail with status 412 when that has changed since.
func (c *Client) ReplaceRaw(ctx context.Context, kind store.Kind, id, etag string, body json.RawMessage) (*Answer, error) {
	return c.send(ctx, request{method: http.MethodPut, path: byID(kind, id), body: body, ifMatch: etag})
}

// Patch changes members of the record with the id by a JSON merge patch.
func (c *Client) Patch(ctx context.Context, kind store.Kind, id, etag string, patch any) (*Answer, error) {
	return c.send(ctx, request{method: http.MethodPatch, path: byID(kind, id), body: patch, ifMatch: etag, mediaType: mergePatch})
}

// Delete removes the record with the id, and with cascade all that is part of
// it. It fails with status 409 when others still refer to it; with cascade, when
// one of these narrows what somebody may do.
func (c *Client) Delete(ctx context.Context, kind store.Kind, id string, cascade bool) error {
	query := url.Values{}
	if cascade {
		query.Set("cascade", "true")
	}
	_, err := c.send(ctx, request{method: http.MethodDelete, path: byID(kind, id), query: query})
	return err
}

// References lists the records that refer to the one with the id.
func (c *Client) References(ctx context.Context, kind store.Kind, id string) ([]Reference, error) {
	page, err := get[Page[Reference]](ctx, c, byID(kind, id)+"/references", nil)
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

func plural(kind store.Kind) string { return "/api/" + kind.Plural() }

func byID(kind store.Kind, id string) string {
	return plural(kind) + "/by-id/" + url.PathEscape(id)
}

// List returns a page of records.
func List[S any](ctx context.Context, c *Client, q ListQuery) (*Page[*store.Record[S]], error) {
	return get[Page[*store.Record[S]]](ctx, c, plural(kindOf[S]()), q.values())
}

// ListAll returns all records that the query selects, page by page.
func ListAll[S any](ctx context.Context, c *Client, q ListQuery) ([]*store.Record[S], error) {
	var all []*store.Record[S]
	q.Limit = maxLimit
	for {
		page, err := List[S](ctx, c, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all, nil
		}
		q.Cursor = page.Next
	}
}

// Get returns the record with the name or id. Its generation is that of its
// ETag, so that Update refuses to overwrite what others have changed since.
func Get[S any](ctx context.Context, c *Client, ref string) (*store.Record[S], error) {
	answer, err := c.GetRaw(ctx, kindOf[S](), ref)
	if err != nil {
		return nil, err
	}
	return asRecord[S](answer)
}

// Create makes a record. For relay keys use CreateKey.
func Create[S any](ctx context.Context, c *Client, rec *store.Record[S]) (*store.Record[S], error) {
	body, err := encoded(rec)
	if err != nil {
		return nil, err
	}
	answer, err := c.CreateRaw(ctx, rec.Kind(), body)
	if err != nil {
		return nil, err
	}
	return asRecord[S](answer)
}

// Update replaces the record. With a generation it fails with status 412 when
// the record has changed since.
func Update[S any](ctx context.Context, c *Client, rec *store.Record[S]) (*store.Record[S], error) {
	body, err := encoded(rec)
	if err != nil {
		return nil, err
	}
	etag := ""
	if rec.Metadata.Generation > 0 {
		etag = quotedGeneration(rec.Metadata.Generation)
	}
	answer, err := c.ReplaceRaw(ctx, rec.Kind(), rec.Metadata.ID, etag, body)
	if err != nil {
		return nil, err
	}
	return asRecord[S](answer)
}

func kindOf[S any]() store.Kind { return (&store.Record[S]{}).Kind() }

func asRecord[S any](answer *Answer) (*store.Record[S], error) {
	rec := new(store.Record[S])
	if err := json.Unmarshal(answer.Body, rec); err != nil {
		return nil, fmt.Errorf("read the answer of the server: %w", err)
	}
	if tag, err := strconv.Unquote(answer.ETag); err == nil {
		rec.Metadata.Generation, _ = strconv.ParseUint(tag, 10, 64) // 0 when it is not one of ours
	}
	return rec, nil
}

// encoded writes a record for the server. The value of a host key, which
// encodes as a placeholder everywhere else, is what is meant here.
func encoded(rec store.AnyRecord) (json.RawMessage, error) {
	row, err := members(rec)
	if err != nil {
		return nil, err
	}
	if key, ok := rec.(*store.HostKey); ok && !key.Spec.Value.IsZero() {
		row["spec"].(map[string]any)["value"] = key.Spec.Value.Reveal()
	}
	return json.Marshal(row)
}
