package rig

import (
	"encoding/json"

	"relay/testdata/e2e/upstream"
)

// Row is what relay usage says of a group.
type Row struct {
	Name     string
	Requests int
	Errors   int
	Tokens   struct {
		Input, Output, Reasoning int64
		CacheRead                int64 `json:"cache_read"`
		CacheCreation            int64 `json:"cache_creation"`
	}
}

// Spent is the row as the upstream counts: answered calls and their tokens.
func (r Row) Spent() upstream.Spent {
	return upstream.Spent{
		Calls: r.Requests - r.Errors,
		Input: r.Tokens.Input, CacheRead: r.Tokens.CacheRead, Output: r.Tokens.Output, Reasoning: r.Tokens.Reasoning,
	}
}

// Usage returns what relay usage says by a grouping, by name.
func (r *Relay) Usage(by string, filters ...string) (map[string]Row, error) {
	args := []string{"usage", "--by", by, "-o", "json"}
	for _, filter := range filters {
		args = append(args, "--filter", filter)
	}
	out, err := r.Run(args...)
	if err != nil {
		return nil, err
	}
	var sums struct{ Items []Row }
	if err := json.Unmarshal([]byte(out), &sums); err != nil {
		return nil, err
	}
	rows := map[string]Row{}
	for _, row := range sums.Items {
		rows[row.Name] = row
	}
	return rows, nil
}
