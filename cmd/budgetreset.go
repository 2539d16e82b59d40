package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

// budgetRow is a record with budgets as the API shows it.
type budgetRow struct {
	Spec struct {
		Budgets []store.Budget `json:"budgets"`
	} `json:"spec"`
}

func (a *app) resetBudgetCommand(n noun) *cobra.Command {
	var period string
	c := &cobra.Command{
		Use:     "reset-budget NAME",
		Short:   fmt.Sprintf("Set what was spent of a %s's budget to zero", n.word),
		Long:    "Sets what was spent of a budget to zero. Its amount and the end of its period stay, and\nusage stays readable. It holds across a crash.",
		Example: fmt.Sprintf("  relay %s reset-budget NAME --period day", n.commandName()),
		Args:    exactly("NAME"),
	}
	c.Flags().StringVar(&period, "period", "", "the budget for this `PERIOD`: day, week, month or total")
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		return a.resetBudget(ctx, s, n, args[0], period, *yes)
	})
	return c
}

func (a *app) resetBudget(ctx context.Context, s *session, n noun, name, period string, yes bool) error {
	record, err := find(ctx, s, n, name)
	if err != nil {
		return err
	}
	budget, err := chosenBudget(n, record, period)
	if err != nil {
		return err
	}
	name = record.Metadata.Name
	if err := a.confirm(ctx, yes, "set what was spent of the budget of %s %s, %s, to zero", n.word, name, budgetInWords(budget)); err != nil {
		return err
	}
	done, err := s.ResetBudget(ctx, n.kind, record.Metadata.ID, budget.Period)
	if err != nil {
		return err
	}
	s.reset = true
	return a.tellReset(name, done, fmt.Sprintf("%s %s: nothing is spent of %s now.", upperFirst(n.word), name, budgetInWords(budget)))
}

// chosenBudget is the record's budget for the period, or its only one.
func chosenBudget(n noun, record found, period string) (store.Budget, error) {
	row, err := decodeRow[budgetRow](record.row)
	if err != nil {
		return store.Budget{}, err
	}
	budgets := row.Spec.Budgets
	at := slices.IndexFunc(budgets, func(b store.Budget) bool { return b.Period == period })
	switch {
	case at >= 0:
		return budgets[at], nil
	case len(budgets) == 0:
		return store.Budget{}, usagef("%s %s has no budget; relay %s edit %s --budget 20/day gives it one", n.word, record.Metadata.Name, n.commandName(), record.Metadata.Name)
	case period == "" && len(budgets) == 1:
		return budgets[0], nil
	}
	return store.Budget{}, usagef("--period is one of its budgets: %s", inWords(nil, budgets))
}

// tellReset shows programs how many counters were reset, and people the
// sentence that says what now holds.
func (a *app) tellReset(name string, done *admin.CounterReset, sentence string) error {
	if a.human() {
		a.note("%s", sentence)
		return nil
	}
	t := table{columns: []column{left("name"), right("counters")}, rows: [][]string{{name, strconv.Itoa(done.Counters)}}}
	return a.show(view{body: done, names: []string{name}, table: t})
}
