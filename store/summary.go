package store

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// SummaryRow sums up the events of one group.
type SummaryRow struct {
	Group     string `json:"group"` // an id, a date, or "" for events without one
	Requests  int64  `json:"requests"`
	Errors    int64  `json:"errors"`
	Tokens    Tokens `json:"tokens"`
	CostNanos int64  `json:"cost_nanos"`
	Unpriced  int64  `json:"unpriced"` // requests that no price is known for
}

// Groupings lists what Summary can group by.
func Groupings() []string {
	return []string{"model", "key", "user", "principal", "organization", "team", "project", "host", "host_key", "day"}
}

// Summary groups the selected events: by one of Groupings, or all in one row for
// "". Days are those of UTC and come in order, other groups with the most
// requests first. The query's limit and cursor do not count. It fails as Events
// does.
func (db *DB) Summary(q EventQuery, groupBy string) ([]SummaryRow, error) {
	if groupBy != "" && !slices.Contains(Groupings(), groupBy) {
		return nil, queryError("group_by", "must be one of "+strings.Join(Groupings(), ", "))
	}
	q.Cursor = ""
	below, err := q.upperBound()
	if err != nil {
		return nil, err
	}
	groups := map[string]*SummaryRow{}
	err = db.scan(q, below, func(e *Event) bool {
		name := group(e, groupBy)
		if groups[name] == nil {
			groups[name] = &SummaryRow{Group: name}
		}
		groups[name].add(e)
		return true
	})
	if err != nil {
		return nil, err
	}
	return sortedRows(groups, groupBy), nil
}

func group(e *Event, by string) string {
	switch by {
	case "model":
		return e.Model
	case "key":
		return e.Credential.ID
	case "user":
		return cmp.Or(e.User, e.Principal.ID)
	case "principal":
		return e.Principal.ID
	case "organization":
		return e.Organization
	case "team":
		return e.Team
	case "project":
		return e.Project
	case "host":
		return e.Host
	case "host_key":
		return e.HostKey
	case "day":
		return e.At.Format(time.DateOnly)
	}
	return ""
}

func (r *SummaryRow) add(e *Event) {
	r.Requests++
	if e.Failed() {
		r.Errors++
	}
	r.Tokens.Add(e.Tokens)
	if e.CostNanos != nil {
		r.CostNanos += *e.CostNanos
	}
	if e.Unpriced() {
		r.Unpriced++
	}
}

func sortedRows(groups map[string]*SummaryRow, by string) []SummaryRow {
	rows := make([]SummaryRow, 0, len(groups))
	for _, row := range groups {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b SummaryRow) int {
		if by == "day" {
			return strings.Compare(a.Group, b.Group)
		}
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Group, b.Group))
	})
	return rows
}
