package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"relay/store"
	"relay/store/manifest"
)

// The sources of records that files have written: the folder that is read at
// every start, and the command line.
const (
	sourceConfigDir = "config_dir"
	sourceApply     = "apply"
)

// limitsFolder is the folder inside config_dir that gives a new database its
// system limits.
const limitsFolder = "ratelimits"

// applyConfigDir applies the manifests of config_dir, all of them or none, and
// tells the log what became of them. What is wrong with them comes back as a
// *configError with a line for every fault.
func (e *engine) applyConfigDir(ctx context.Context, dir string, env Environment) error {
	if dir == "" {
		return nil
	}
	docs, problems := manifest.ReadFolder(dir, manifest.Options{LookupEnv: env})
	passwords, err := manifest.HashPasswords(ctx, e.db.Catalog(), docs, store.NewPasswords(store.PasswordCost{}))
	if err != nil {
		return fmt.Errorf("apply %s: %w", dir, err)
	}
	options := manifest.ApplyOptions{Source: sourceConfigDir, Whole: true, Passwords: passwords}
	var changes []manifest.Change
	_, err = e.db.Write(func(edit *store.Edit) error {
		edit.Audit(store.SystemActor(), "", sourceConfigDir)
		if found := manifest.Check(e.db.Catalog(), docs, options, problems); len(found) > 0 {
			return badManifests(found)
		}
		changes, err = manifest.Apply(edit, docs, options)
		return err
	})
	if err != nil {
		return asConfigError(dir, err)
	}
	e.tellChanges(dir, changes)
	return nil
}

// checkFirstConfigDir finds before anything is written to a new database what is
// wrong with config_dir, so that the next start is the first one still.
func (e *engine) checkFirstConfigDir(env Environment) error {
	if e.cfg.ConfigDir == "" || !e.db.FirstBoot() {
		return nil
	}
	base, err := newCatalog()
	if err != nil {
		return err
	}
	docs, problems := manifest.ReadFolder(e.cfg.ConfigDir, manifest.Options{LookupEnv: env})
	if found := manifest.Check(base, docs, manifest.ApplyOptions{Source: sourceConfigDir}, problems); len(found) > 0 {
		return badManifests(found)
	}
	return nil
}

// badManifests refuses manifests with a line for every fault.
func badManifests(problems []manifest.FileProblem) error {
	faults := make([]string, len(problems))
	for i, p := range problems {
		faults[i] = p.String()
	}
	return &configError{faults}
}

// asConfigError makes what the store refuses about manifests a fault of the
// configuration. A disk that refuses is none.
func asConfigError(dir string, err error) error {
	switch store.CodeOf(err) {
	case store.CodeInvalid, store.CodeUnprocessable, store.CodeConflict, store.CodeSharedState:
		return faultf("%s: %s", dir, message(err))
	}
	return err
}

func (e *engine) tellChanges(dir string, changes []manifest.Change) {
	counts := map[string]int{}
	for _, change := range changes {
		counts[change.Action]++
		if change.Action == manifest.ActionDrift {
			e.log.Warn().Str("kind", string(change.Kind)).Str("name", change.Name).Strs("members", change.Members).Str("note", change.Note).
				Msg("record is not as config_dir says: it was changed since, and its text was not")
		}
	}
	e.log.Info().Str("dir", dir).Int("created", counts[manifest.ActionCreate]).Int("updated", counts[manifest.ActionUpdate]).
		Int("unchanged", counts[manifest.ActionUnchanged]).Int("drifted", counts[manifest.ActionDrift]).Msg("config_dir applied")
}

// seedSystemLimits gives a new database the system limits of config_dir. In one
// that has been written to they are left as they are.
func (e *engine) seedSystemLimits(env Environment) error {
	if e.cfg.ConfigDir == "" || !e.db.FirstBoot() {
		return nil
	}
	dir := filepath.Join(e.cfg.ConfigDir, limitsFolder)
	docs, problems := readSystemLimits(dir, env)
	if problems = manifest.Check(e.db.Catalog(), docs, manifest.ApplyOptions{}, problems); len(problems) > 0 {
		return badManifests(problems)
	}
	_, err := e.db.Write(func(edit *store.Edit) error {
		_, err := manifest.Apply(edit, docs, manifest.ApplyOptions{Source: sourceConfigDir + "/" + limitsFolder})
		return err
	})
	return asConfigError(dir, err)
}

// readSystemLimits reads the folder of system limits, which need not exist.
func readSystemLimits(dir string, env Environment) ([]manifest.Document, []manifest.FileProblem) {
	if stat, err := os.Stat(dir); err != nil || !stat.IsDir() {
		return nil, nil
	}
	docs, problems := manifest.ReadFolder(dir, manifest.Options{LookupEnv: env})
	for i := range docs {
		if fault := systemLimitFault(&docs[i]); fault != "" {
			problems = append(problems, docs[i].Problem("metadata.name", fault))
		}
		docs[i].Metadata.Owner = &store.Ref{Kind: store.KindSystem}
	}
	return docs, problems
}

func systemLimitFault(d *manifest.Document) string {
	names := []string{}
	for _, shipped := range store.ShippedLimits() {
		names = append(names, shipped.Metadata.Name)
	}
	switch owner := d.Metadata.Owner; {
	case d.Kind != store.KindRateLimit || !slices.Contains(names, d.Metadata.Name):
		return "is none of the rate limits that belong here: " + strings.Join(names, ", ")
	case owner != nil && owner.Kind != store.KindSystem:
		return "must have the owner {kind: system}, or none"
	}
	return ""
}
