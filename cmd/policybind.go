package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

func (a *app) policyBindCommand() *cobra.Command {
	var replace bool
	c := &cobra.Command{
		Use:   "bind NAME ACCOUNT...",
		Short: "Put accounts under a policy",
		Long: "Puts accounts under a policy. An account is under one policy at most; where it is under\n" +
			"another, the command asks, or takes --replace.",
		Example: "  relay policy bind chat team:research service-account:alice\n  relay policy bind openai-tier-2 host:openai",
		Args:    nameAndAccounts,
	}
	c.Flags().BoolVar(&replace, "replace", false, "do not ask about accounts that are under another policy")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		policy, err := find(ctx, s, policyNoun(), args[0])
		if err != nil {
			return err
		}
		moves, err := a.plannedMoves(ctx, s, policy.Metadata, args[1:], replace)
		if err != nil {
			return err
		}
		for _, move := range moves {
			if err := move.do(ctx, s, policy.Metadata.ID); err != nil {
				return err
			}
			a.note("%s", move.sentence(policy.Metadata.Name))
		}
		sentence, err := policySentence(ctx, s, policy.Metadata.ID)
		if err != nil {
			return err
		}
		a.note("%s", sentence)
		return nil
	})
	return c
}

func nameAndAccounts(c *cobra.Command, args []string) error {
	if len(args) < 2 {
		return usagef("%s: NAME and at least one ACCOUNT are needed, such as chat team:research; %q explains", c.CommandPath(), c.CommandPath()+" --help")
	}
	for _, account := range args[1:] {
		if !strings.Contains(account, ":") {
			return usagef("%s: %q is no account: write service-account:%[2]s, team:%[2]s, project:%[2]s, organization:%[2]s, or host:%[2]s", c.CommandPath(), account)
		}
	}
	return nil
}

// move puts an account under a policy.
type move struct {
	account string
	present placedBinding // zero: it is under none
	done    bool          // it is under this one already
}

// placedBinding is a policy binding as the API shows it, with its id.
type placedBinding struct {
	envelope
	bindingRow
}

// plannedMoves finds where the accounts are now, and asks about those that are
// elsewhere before anything is changed.
func (a *app) plannedMoves(ctx context.Context, s *session, policy store.Metadata, accounts []string, replace bool) ([]move, error) {
	present, err := placedBindings(ctx, s)
	if err != nil {
		return nil, err
	}
	moves := make([]move, len(accounts))
	for i, account := range accounts {
		m := move{account: account}
		for _, b := range present {
			if b.Spec.Account == account || b.Spec.AccountName == account {
				m.present, m.done = b, b.Spec.PolicyID == policy.ID
			}
		}
		if m.present.Spec.PolicyID != "" && !m.done && !replace {
			if err := a.confirmMove(ctx, m, policy.Name); err != nil {
				return nil, err
			}
		}
		moves[i] = m
	}
	return moves, nil
}

func placedBindings(ctx context.Context, s *session) ([]placedBinding, error) {
	rows, err := listRows(ctx, s, store.KindPolicyBinding, admin.ListQuery{})
	if err != nil {
		return nil, err
	}
	return decodeRows[placedBinding](rows)
}

func (a *app) confirmMove(ctx context.Context, m move, policy string) error {
	if _, asked := a.terminal(); !asked {
		return &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("%s is under policy %s already; --replace puts it under %s instead",
			m.account, m.present.Spec.PolicyName, policy)}
	}
	return a.confirm(ctx, false, "take %s from under policy %s and put it under %s", m.account, m.present.Spec.PolicyName, policy)
}

func (m move) do(ctx context.Context, s *session, policyID string) error {
	switch {
	case m.done:
		return nil
	case m.present.Spec.PolicyID != "":
		_, err := s.Patch(ctx, store.KindPolicyBinding, m.present.Metadata.ID, "", map[string]any{"spec": map[string]any{"policyId": policyID}})
		return err
	}
	_, err := (&creation{session: s}).create(ctx, store.KindPolicyBinding, map[string]any{}, map[string]any{"policyId": policyID, "account": m.account})
	return err
}

func (m move) sentence(policy string) string {
	switch {
	case m.done:
		return fmt.Sprintf("%s is under policy %s already.", m.account, policy)
	case m.present.Spec.PolicyID != "":
		return fmt.Sprintf("%s is under policy %s now, no longer under %s.", m.account, policy, m.present.Spec.PolicyName)
	}
	return fmt.Sprintf("%s is under policy %s now.", m.account, policy)
}

func (a *app) policyUnbindCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "unbind NAME ACCOUNT...",
		Short:   "Take accounts from under a policy",
		Example: "  relay policy unbind chat team:research",
		Args:    nameAndAccounts,
	}
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		policy, err := find(ctx, s, policyNoun(), args[0])
		if err != nil {
			return err
		}
		doomed, err := boundTo(ctx, s, policy.Metadata, args[1:])
		if err != nil {
			return err
		}
		if err := a.confirm(ctx, *yes, "take %s from under policy %s", listed(args[1:]), policy.Metadata.Name); err != nil {
			return err
		}
		for i, b := range doomed {
			if err := s.Delete(ctx, store.KindPolicyBinding, b.Metadata.ID, false); err != nil {
				return err
			}
			a.note("%s is under no policy of its own now.", args[i+1])
		}
		return nil
	})
	return c
}

// boundTo returns the bindings of the accounts, all of which must be under the
// policy.
func boundTo(ctx context.Context, s *session, policy store.Metadata, accounts []string) ([]placedBinding, error) {
	present, err := placedBindings(ctx, s)
	if err != nil {
		return nil, err
	}
	var found []placedBinding
	for _, account := range accounts {
		before := len(found)
		for _, b := range present {
			if b.Spec.PolicyID == policy.ID && (b.Spec.Account == account || b.Spec.AccountName == account) {
				found = append(found, b)
			}
		}
		if len(found) == before {
			return nil, &store.Error{Code: store.CodeNotFound, Message: fmt.Sprintf("%s is not under policy %s; relay policy show %s lists what is", account, policy.Name, policy.Name)}
		}
	}
	return found, nil
}
