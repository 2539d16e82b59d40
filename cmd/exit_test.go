package cmd_test

import (
	"errors"
	"fmt"
	"testing"

	"relay/admin"
	"relay/cmd"
	"relay/store"
)

func TestExitCode_IsTheOneOfTheTable(t *testing.T) {
	of := func(code store.Code) error {
		return fmt.Errorf("open database: %w", &store.Error{Code: code, Message: "no"})
	}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"nothing wrong", nil, 0},
		{"anything else", errors.New("disk on fire"), 1},
		{"disk refuses", of(store.CodeUnavailable), 1},
		{"not there", of(store.CodeNotFound), 3},
		{"invalid", of(store.CodeInvalid), 4},
		{"unprocessable", of(store.CodeUnprocessable), 4},
		{"forbidden", of(store.CodeForbidden), 4},
		{"conflict", of(store.CodeConflict), 5},
		{"stale", of(store.CodeStale), 5},
		{"damaged", of(store.CodeDamaged), 65},
		{"busy", of(store.CodeBusy), 75},
		{"wrong master key", of(store.CodeWrongKey), 78},
		{"nobody answers", fmt.Errorf("call: %w", admin.ErrUnreachable), 6},
	}
	for status, want := range map[int]int{400: 4, 401: 4, 403: 4, 404: 3, 409: 5, 412: 5, 422: 4, 429: 7, 500: 1, 503: 1} {
		tests = append(tests, struct {
			name string
			err  error
			want int
		}{fmt.Sprint("status ", status), &admin.Problem{Status: status}, want})
	}
	for _, test := range tests {
		if got := cmd.ExitCode(test.err); got != test.want {
			t.Errorf("%s exits with %d, want %d", test.name, got, test.want)
		}
	}
}
