package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

type usageFlags struct {
	since, until string
	by           string
	filters      []string
}

func (a *app) usageCommand() *cobra.Command {
	var flags usageFlags
	c := &cobra.Command{
		Use:     "usage",
		Short:   "Show what was used and what it cost",
		Example: "  relay usage --since 7d --by key\n  relay usage --filter model=gpt-4.1-mini --by day",
		Args:    noArgs,
	}
	c.Flags().StringVar(&flags.since, "since", "24h", "how `LONG` back (24h, 7d), or a date or time")
	c.Flags().StringVar(&flags.until, "until", "", "`END`, likewise (default: now)")
	c.Flags().StringVar(&flags.by, "by", "model", "a row for each `GROUP`: "+strings.Join(store.Groupings(), ", "))
	c.Flags().StringArrayVar(&flags.filters, "filter", nil, "only `NAME=VALUE`: model=NAME, key=NAME, host=NAME, team=NAME, status=4xx, ...; repeatable")
	c.AddCommand(a.repriceCommand())
	c.RunE = func(c *cobra.Command, args []string) error {
		query, err := flags.query()
		if err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, _ []string) error {
			return a.usage(ctx, s, query)
		})(c, args)
	}
	return c
}

func (u usageFlags) query() (url.Values, error) {
	if !slices.Contains(store.Groupings(), u.by) {
		return nil, usagef("--by %s: must be one of %s", u.by, strings.Join(store.Groupings(), ", "))
	}
	query := url.Values{"group_by": {u.by}}
	for name, text := range map[string]string{"since": u.since, "until": u.until} {
		if text != "" {
			query.Set(name, moment(text))
		}
	}
	for _, filter := range u.filters {
		name, value, found := strings.Cut(filter, "=")
		if !found || value == "" {
			return nil, usagef("--filter %s: write NAME=VALUE, such as model=gpt-4.1-mini", filter)
		}
		query.Set(filterName(name), value)
	}
	return query, nil
}

// moment turns a date here into the time that the API takes; the rest it reads
// itself.
func moment(text string) string {
	if at, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return at.Format(time.RFC3339)
	}
	return text
}

// filterName is the API's name for what people call a key.
func filterName(name string) string {
	switch name = strings.ReplaceAll(name, "-", "_"); name {
	case "key":
		return "credential"
	case "hostkey":
		return "host_key"
	}
	return name
}

func (a *app) usage(ctx context.Context, s *session, query url.Values) error {
	answer, err := s.Do(ctx, http.MethodGet, "/api/usage/summary", query, nil)
	if err != nil {
		return err
	}
	sums, err := decodeRow[admin.UsageSummary](answer.Body)
	if err != nil {
		return err
	}
	if len(sums.Items) == 0 {
		a.note("No requests since %s.", cmp.Or(query.Get("since"), "the beginning"))
	}
	by := query.Get("group_by")
	names := make([]string, len(sums.Items))
	for i, sum := range sums.Items {
		names[i] = groupName(sum)
	}
	return a.show(view{body: json.RawMessage(answer.Body), names: names, table: usageTable(by, sums.Items)})
}

func groupName(sum admin.UsageSum) string { return cmp.Or(sum.Name, sum.Group, "-") }

func usageTable(by string, sums []admin.UsageSum) table {
	t := table{columns: []column{
		left(strings.ReplaceAll(by, "_", " ")), right("requests"), right("errors"), right("input"), right("cached"), right("output"), right("cost"),
	}}
	total := admin.UsageSum{Name: "total"}
	for _, sum := range sums {
		t.rows = append(t.rows, usageLine(sum))
		add(&total.SummaryRow, sum.SummaryRow)
	}
	if len(sums) > 1 {
		t.total = usageLine(total)
	}
	return t
}

func usageLine(sum admin.UsageSum) []string {
	cost := dollars(sum.CostNanos)
	switch {
	case sum.Unpriced > 0 && sum.CostNanos == 0:
		cost = "no price"
	case sum.Unpriced > 0:
		cost = fmt.Sprintf("%s + %s without a price", cost, grouped(sum.Unpriced))
	}
	return []string{
		groupName(sum), grouped(sum.Requests), grouped(sum.Errors),
		grouped(sum.Tokens.Input + sum.Tokens.CacheCreation), grouped(sum.Tokens.CacheRead), grouped(sum.Tokens.Output), cost,
	}
}

func add(total *store.SummaryRow, row store.SummaryRow) {
	total.Requests += row.Requests
	total.Errors += row.Errors
	total.CostNanos += row.CostNanos
	total.Unpriced += row.Unpriced
	total.Tokens.Input += row.Tokens.Input
	total.Tokens.CacheRead += row.Tokens.CacheRead
	total.Tokens.CacheCreation += row.Tokens.CacheCreation
	total.Tokens.Output += row.Tokens.Output
}
