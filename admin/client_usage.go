package admin

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
)

// Apply puts manifests onto the catalog, all or nothing. With a generation above
// 0 it fails with status 412 when the catalog has changed since.
func (c *Client) Apply(ctx context.Context, in ApplyRequest, generation uint64) (*Applied, error) {
	out := request{method: http.MethodPost, path: "/api/apply", body: in}
	if generation > 0 {
		out.ifMatch = quotedGeneration(generation)
	}
	return call[Applied](ctx, c, out)
}

// Export returns the whole catalog as YAML manifests, without secrets.
func (c *Client) Export(ctx context.Context) ([]byte, error) {
	answer, err := c.send(ctx, request{method: http.MethodGet, path: "/api/export"})
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

// values writes what is set of the filter.
func (f UsageFilter) values() url.Values {
	values, v := url.Values{}, reflect.ValueOf(f)
	for i := range v.NumField() {
		if text := v.Field(i).String(); text != "" {
			values.Set(v.Type().Field(i).Tag.Get("query"), text)
		}
	}
	return values
}

// UsageEvents returns a page of usage events, newest first.
func (c *Client) UsageEvents(ctx context.Context, q UsageQuery) (*UsageEvents, error) {
	values := q.values()
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		values.Set("cursor", q.Cursor)
	}
	return get[UsageEvents](ctx, c, "/api/usage/events", values)
}

// UsageSummary sums up usage by one of store.Groupings, or all in one row for "".
func (c *Client) UsageSummary(ctx context.Context, f UsageFilter, groupBy string) ([]UsageSum, error) {
	values := f.values()
	if groupBy != "" {
		values.Set("group_by", groupBy)
	}
	out, err := get[UsageSummary](ctx, c, "/api/usage/summary", values)
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}
