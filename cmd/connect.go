package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

// connectFlags describe a host that the catalog does not know, and its key.
type connectFlags struct {
	secretFlags
	baseURL string
	shapes  []string
	auth    string
	account string
	parts   map[string]string // of a shipped base URL
}

func (a *app) connectCommand() *cobra.Command {
	var flags connectFlags
	c := &cobra.Command{
		Use:   "connect NAME",
		Short: "Connect a provider: test its key, keep it, take on its models",
		Long: "Connects a provider. The key is asked for, tested with one call and kept sealed;\n" +
			"the models that the provider lists can be called at once.",
		Example: "  relay connect openai\n" +
			"  relay connect azure --set resource=acme\n" +
			"  relay connect lab --base-url http://10.0.0.5:8000/v1 --value-env LAB_KEY\n" +
			"  relay connect ollama --base-url http://127.0.0.1:11434 --shape ollama --auth none",
		Args: exactly("NAME"),
	}
	flags.secretFlags.register(c.Flags())
	c.Flags().StringVar(&flags.baseURL, "base-url", "", "`URL` of a provider that Relay does not know, with its version segment: https://api.example.com/v1")
	c.Flags().StringSliceVar(&flags.shapes, "shape", nil, "`SHAPE` that it speaks, best first: openai, openai_responses, anthropic, gemini, ollama; repeatable")
	c.Flags().StringVar(&flags.auth, "auth", "", "`HOW` it takes the key: bearer, x-api-key, x-goog-api-key, header:NAME or none")
	c.Flags().StringVar(&flags.account, "account", "", "`NAME` of the provider's organization that the key belongs to")
	c.Flags().StringToStringVar(&flags.parts, "set", nil, "`NAME=VALUE` of what a known provider's URL leaves open, such as resource=acme; repeatable")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, args []string) error {
			return a.connect(ctx, s, args[0], flags)
		})(c, args)
	}
	return c
}

func (a *app) connect(ctx context.Context, s *session, name string, flags connectFlags) error {
	if err := a.fillBaseURL(ctx, s, name, &flags); err != nil {
		return err
	}
	key, err := a.connectKey(ctx, s, name, flags)
	if err != nil {
		return err
	}
	in := admin.ConnectRequest{
		Host: name, BaseURL: flags.baseURL, Auth: flags.auth, Account: flags.account,
		Value: key.value, Env: key.env, File: key.file,
	}
	for _, shape := range flags.shapes {
		in.Shapes = append(in.Shapes, store.Shape(shape))
	}
	stop := a.whenSlow("Asking %s for its models ...", name)
	made, err := s.Connect(ctx, in)
	stop()
	if err != nil {
		return err
	}
	return a.showConnected(name, made)
}

// connectKey reads the key that the flags name. Without any, it is asked for
// where the provider takes one.
func (a *app) connectKey(ctx context.Context, s *session, name string, flags connectFlags) (keySource, error) {
	if flags.count() > 0 {
		return a.keySource(ctx, &flags.secretFlags, "key for "+name)
	}
	host, err := admin.Get[store.HostSpec](ctx, s.Client, name)
	switch {
	case refusedAs(err, store.CodeNotFound):
		if _, typed := a.terminal(); !typed || flags.baseURL == "" || flags.auth == "none" {
			return keySource{}, nil // the server says what is missing
		}
	case err != nil:
		return keySource{}, err
	case host.Spec.Auth == "none":
		return keySource{}, nil
	}
	return a.keySource(ctx, &flags.secretFlags, "key for "+name)
}

func (a *app) showConnected(name string, made *admin.Connected) error {
	t := table{columns: []column{left("model"), left("name at " + name), left("new")}}
	names := make([]string, len(made.Models))
	for i, model := range made.Models {
		news := ""
		if model.Created {
			news = "yes"
		}
		names[i] = model.Name
		t.rows = append(t.rows, []string{model.Name, model.UpstreamName, news})
	}
	for _, note := range made.Notes {
		a.note("%s.", strings.TrimSuffix(note, "."))
	}
	if err := a.show(view{body: made, names: names, table: t}); err != nil {
		return err
	}
	a.note("%s", connectedSentence(name, names))
	return nil
}

func connectedSentence(name string, models []string) string {
	switch len(models) {
	case 0:
		return fmt.Sprintf("%s is connected; it lists no models. relay model add NAME --host %s adds one.", name, name)
	case 1:
		return fmt.Sprintf("%s is connected; %s can be called now.", name, models[0])
	}
	return fmt.Sprintf("%s is connected; %d models can be called now, such as %s.", name, len(models), models[0])
}
