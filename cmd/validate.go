package cmd

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
	"relay/store/catalogdata"
	"relay/store/manifest"
)

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate PATH",
		Short: "Tell everything that is wrong with manifests",
		Long: "Reads a manifest, a folder of them such as config_dir, or - for standard input, and\n" +
			"compiles them onto what a new database holds. It needs neither a server nor a\n" +
			"database. It exits 0 when all is well, and 2 with file and line of every fault.",
		Example: "  relay validate relay.d/",
		Args:    exactly("PATH"),
		RunE: func(_ *cobra.Command, args []string) error {
			docs, problems := manifest.ReadPath(args[0], manifest.Options{LookupEnv: a.Env, Stdin: a.Stdin})
			limits, faults := readSystemLimits(filepath.Join(args[0], limitsFolder), a.Env)
			if len(limits) > 0 { // the folder need not hold anything else
				docs, problems = manifest.ReadFolder(args[0], manifest.Options{LookupEnv: a.Env})
			}
			problems = append(problems, faults...)
			base, err := newCatalog()
			if err != nil {
				return err
			}
			found := manifest.Check(base, limits, manifest.ApplyOptions{}, nil)
			if found = append(manifest.Check(base, docs, manifest.ApplyOptions{}, problems), found...); len(found) > 0 {
				return badManifests(found)
			}
			a.note("All is well with %s: %s.", args[0], counted(len(docs)+len(limits), "document"))
			return nil
		},
	}
}

// newCatalog is what a new database holds: the embedded catalogue, and the
// records of first boot.
func newCatalog() (*store.Catalog, error) {
	draft := store.NewDraft(store.NewCatalog())
	data, err := catalogdata.Load()
	if err == nil {
		_, err = data.Apply(draft)
	}
	for _, limit := range store.ShippedLimits() {
		err = errors.Join(err, draft.Put(limit))
	}
	for _, role := range store.BuiltinRoles() {
		err = errors.Join(err, draft.Put(role))
	}
	return draft.Catalog(), errors.Join(err, admin.PutDefaults(draft))
}
