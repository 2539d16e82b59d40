package admin

import (
	"context"
	"net/http"
	"net/url"

	"relay/gateway/plan"
	"relay/store"
)

// Explain says what would become of a request, and why. It calls no upstream.
func (c *Client) Explain(ctx context.Context, in ExplainRequest) (*plan.Explanation, error) {
	return call[plan.Explanation](ctx, c, request{method: http.MethodPost, path: "/api/explain", body: in})
}

// Effective returns the folded ladder of an account, such as team:NAME.
func (c *Client) Effective(ctx context.Context, account string) (*plan.FoldedLadder, error) {
	return get[plan.FoldedLadder](ctx, c, "/api/accounts/"+url.PathEscape(account)+"/effective", nil)
}

// PolicyLimits returns what a policy counts, and where its counters stand.
func (c *Client) PolicyLimits(ctx context.Context, ref string) (*plan.PolicyLimits, error) {
	return get[plan.PolicyLimits](ctx, c, plural(store.KindPolicy)+"/"+url.PathEscape(ref)+"/rate-limits", nil)
}
