package admin

import (
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"relay/limiter"
	"relay/store"
)

type topUpInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    topUpRequest
}

type topUpRequest struct {
	Amount string `json:"amount" minLength:"1" maxLength:"32" doc:"Dollars to add, such as 10 or 2.50."`
}

// topUpRoute raises what a key may spend in all. What it has spent stays.
func (k relayKeys) topUpRoute() {
	op := k.operation(http.MethodPost, "/by-id/{id}/topup", "topup", "Add to what the key may spend in all")
	huma.Register(k.api, answering(op, http.StatusOK, k.schema), func(ctx context.Context, in *topUpInput) (*rowOutput, error) {
		amount, err := store.ParseNanoDollars(in.Body.Amount)
		if err == nil && amount == 0 {
			return nil, k.refusal(invalid(store.Problem{Field: "amount", Message: "must be above 0"}))
		}
		if err != nil {
			return nil, k.refusal(invalid(store.Problem{Field: "amount", Message: err.Error()}))
		}
		c, err := k.alter(ctx, store.VerbUpdate, in.ID, in.IfMatch, func(rec *store.RelayKey) error { return topUp(rec, amount) })
		if err != nil {
			return nil, k.refusal(err)
		}
		return k.row(c, c.RelayKeys.Get(in.ID))
	})
}

// topUp adds nano-dollars to the key's prepaid budget, or gives it one.
func topUp(rec *store.RelayKey, amount int64) error {
	if rec.Spec.RevokedAt != nil {
		return &store.Error{Code: store.CodeConflict, Message: "the key is revoked; make another"}
	}
	at := slices.IndexFunc(rec.Spec.Budgets, func(b store.Budget) bool { return b.Period == limiter.PeriodTotal })
	if at < 0 {
		prepaid := store.Budget{Amount: store.FormatNanoDollars(amount), Period: limiter.PeriodTotal}
		rec.Spec.Budgets = append(rec.Spec.Budgets, prepaid)
		return nil
	}
	budget := &rec.Spec.Budgets[at]
	present, err := store.ParseNanoDollars(budget.Amount)
	if err != nil {
		return unprocessable(store.Problem{Field: "spec.budgets", Message: err.Error()})
	}
	if amount > math.MaxInt64-present {
		return invalid(store.Problem{Field: "amount", Message: "is more than a budget can hold"})
	}
	budget.Amount = store.FormatNanoDollars(present + amount)
	return nil
}

// TopUpKey adds dollars, such as "2.50", to what the relay key with the id may
// spend in all. A key without such a budget gets one.
func (c *Client) TopUpKey(ctx context.Context, id, amount string) (*store.RelayKey, error) {
	return call[store.RelayKey](ctx, c, request{method: http.MethodPost, path: byID(store.KindRelayKey, id) + "/topup", body: topUpRequest{amount}})
}
