package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/admin"
	"relay/store"
)

func hostKeyNoun() noun {
	return noun{kind: store.KindHostKey, word: "host key", command: "hostkey", list: hostKeyTable, show: hostKeyDetails}
}

func (a *app) hostKeyCommand() *cobra.Command {
	return group("hostkey", "Keep the keys that providers have given you",
		a.hostKeyAddCommand(), a.listCommand(hostKeyNoun()), a.showCommand(hostKeyNoun()), a.hostKeyEditCommand(),
		a.hostKeyRotateCommand(), a.hostKeyTestCommand(), a.hostKeyResetCommand(), a.removeCommand(hostKeyNoun()))
}

// hostKeyFlags say where a host key comes from and what governs it.
type hostKeyFlags struct {
	secretFlags
	tierPolicy string
	account    string
}

func (k *hostKeyFlags) register(flags *pflag.FlagSet) {
	k.secretFlags.register(flags)
	flags.StringVar(&k.tierPolicy, "tier-policy", "", "`POLICY` with the limits of the provider for this key, or none")
	flags.StringVar(&k.account, "account", "", "`NAME` of the provider's organization that it belongs to, or none; made when it is new")
}

func (a *app) hostKeyAddCommand() *cobra.Command {
	var flags hostKeyFlags
	var host string
	c := &cobra.Command{
		Use:     "add NAME --host HOST",
		Aliases: []string{"create"},
		Short:   "Keep another key of a provider, sealed",
		Long: "Keeps a provider key. Without a flag that says where it is, it is asked for. What is\n" +
			"stored is sealed with the master key and never shown again.",
		Example: "  relay hostkey add openai-2 --host openai --value-env OPENAI_API_KEY_2\n" +
			"  relay hostkey add lab --host lab --from-file /run/secrets/lab-key",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().StringVar(&host, "host", "", "`HOST` that it is for")
	c.RunE = func(c *cobra.Command, args []string) error {
		if host == "" {
			return usagef("relay hostkey add: which host is the key for? --host HOST; relay host ls --all lists them")
		}
		if err := flags.check(); err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, args []string) error {
			return a.addHostKey(ctx, s, args[0], host, flags)
		})(c, args)
	}
	return c
}

func (a *app) addHostKey(ctx context.Context, s *session, name, host string, flags hostKeyFlags) error {
	record, err := find(ctx, s, hostNoun(), host)
	if err != nil {
		return err
	}
	key, err := a.keySource(ctx, &flags.secretFlags, "key for "+record.Metadata.Name)
	if err != nil {
		return err
	}
	spec := key.spec()
	spec["hostId"] = record.Metadata.ID
	if flags.tierPolicy != "" && flags.tierPolicy != none {
		spec["tierPolicyId"] = flags.tierPolicy
	}
	made := &creation{session: s}
	if err := a.placeInAccount(ctx, made, flags.account, record.Metadata.ID, spec); err != nil {
		return err
	}
	answer, err := made.create(ctx, store.KindHostKey, map[string]any{"name": name}, withoutNulls(spec))
	if err != nil {
		return errors.Join(err, made.takeBack(ctx))
	}
	return a.tellHostKey(ctx, s, answer.Body)
}

// spec returns the members that say where the value is.
func (k keySource) spec() map[string]any {
	switch {
	case k.env != "":
		return map[string]any{"source": map[string]any{"kind": "env", "env": k.env, "path": nil}}
	case k.file != "":
		return map[string]any{"source": map[string]any{"kind": "file", "path": k.file, "env": nil}}
	}
	return map[string]any{"source": map[string]any{"kind": "stored", "env": nil, "path": nil}, "value": k.value.Reveal()}
}

// placeInAccount puts the host account into the spec and makes it when there is
// none of the name.
func (a *app) placeInAccount(ctx context.Context, made *creation, account, host string, spec map[string]any) error {
	if account == "" {
		return nil
	}
	if account == none {
		spec["accountId"] = nil
		return nil
	}
	spec["accountId"] = account
	_, err := admin.Get[store.HostAccountSpec](ctx, made.Client, account)
	if !refusedAs(err, store.CodeNotFound) {
		return err
	}
	if _, err := made.create(ctx, store.KindHostAccount, map[string]any{"name": account}, map[string]any{"hostId": host}); err != nil {
		return err
	}
	a.note("Made host account %s.", account)
	return nil
}

// tellHostKey shows the row to programs and says to people what now holds.
func (a *app) tellHostKey(ctx context.Context, s *session, row []byte) error {
	return a.tell(ctx, s, hostKeyNoun(), row, func() (string, error) {
		k, err := decodeRow[hostKeyRow](row)
		if err != nil {
			return "", err
		}
		name := k.Metadata.Name
		if !store.Enabled(k.Spec.Enabled) {
			return fmt.Sprintf("Host key %s: switched off; no request goes out with it.", name), nil
		}
		return fmt.Sprintf("Host key %s: %s, for host %s%s; relay hostkey test %s tries it.", name, k.place(), k.Spec.HostName, k.governed(), name), nil
	})
}
