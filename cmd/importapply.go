package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
	"relay/store/foreign"
	"relay/store/manifest"
)

// mostApplied bounds what one call applies, in bytes of JSON. The control API
// takes 1 MiB.
const mostApplied = 700 << 10

// applyImported applies what was read: in one write, or where it is too much for
// one, in several, those first that others refer to.
func (a *app) applyImported(c *cobra.Command, result *foreign.Result, text []byte, withSecrets bool) error {
	documents, err := importedDocuments(text)
	if err != nil {
		return err
	}
	return a.online(func(ctx context.Context, s *session, _ []string) error {
		if err := refuseStrangers(ctx, s, documents); err != nil {
			return err
		}
		if err := a.applyAll(ctx, s, documents); err != nil {
			return err
		}
		if !withSecrets {
			for _, name := range secretNames(result) {
				a.note("Provider key %s stands in the file and is not stored: give it with relay hostkey rotate %s, set %s, or use --with-secrets.", name, name, manifest.VariableFor(name))
			}
			return nil
		}
		return a.storeSecrets(ctx, s, result)
	})(c, nil)
}

func secretNames(result *foreign.Result) []string { return slices.Sorted(maps.Keys(result.Secrets)) }

func (a *app) applyAll(ctx context.Context, s *session, documents []manifest.Document) error {
	counts := map[string]int{}
	for batch := range batches(inKindOrder(documents)) {
		applied, err := s.Apply(ctx, admin.ApplyRequest{Documents: batch, Source: sourceApply}, 0)
		if err != nil {
			return err
		}
		for _, change := range applied.Changes {
			counts[change.Action]++
		}
	}
	a.note("Applied: %d created, %d updated, %d unchanged.", counts[manifest.ActionCreate], counts[manifest.ActionUpdate], counts[manifest.ActionUnchanged])
	if n := counts[manifest.ActionDrift]; n > 0 {
		a.note("%d were changed here since and are left alone; relay apply --force overwrites.", n)
	}
	return nil
}

// refuseStrangers refuses documents with the names of records that are there
// already and did not come from the same gateway: they would become what the
// documents say. Records of the catalogue are taken over.
func refuseStrangers(ctx context.Context, s *session, documents []manifest.Document) error {
	mine := map[store.Kind]map[string]string{} // the label by name
	for _, d := range documents {
		if mine[d.Kind] == nil {
			mine[d.Kind] = map[string]string{}
		}
		mine[d.Kind][strings.ToLower(d.Metadata.Name)] = d.Metadata.Labels[foreign.Label]
	}
	var taken []string
	for _, kind := range store.Kinds() {
		if len(mine[kind]) == 0 {
			continue
		}
		present, err := everyRecord(ctx, s, kind)
		if err != nil {
			return err
		}
		for _, m := range present {
			label, named := mine[kind][strings.ToLower(m.Name)]
			shipped := m.Owner != nil && m.Owner.Kind == "system"
			if named && !shipped && m.Labels[foreign.Label] != label {
				taken = append(taken, string(kind)+" "+m.Name)
			}
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("these are here already and would be overwritten: %s; rename them, or write the manifests with --out and change them", strings.Join(taken, ", "))}
}

const importPage = 1000 // rows a page of a list

func everyRecord(ctx context.Context, s *session, kind store.Kind) ([]store.Metadata, error) {
	var all []store.Metadata
	for q := (admin.ListQuery{Limit: importPage}); ; {
		page, err := s.ListRaw(ctx, kind, q)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Items {
			head, err := decodeRow[envelope](row)
			if err != nil {
				return nil, err
			}
			all = append(all, head.Metadata)
		}
		if page.Next == "" {
			return all, nil
		}
		q.Cursor = page.Next
	}
}

// inKindOrder sorts documents so that they refer to earlier ones. Relay keys, of
// which there may be thousands, are last but for what names none of them.
func inKindOrder(documents []manifest.Document) []manifest.Document {
	order := store.Kinds()
	slices.SortStableFunc(documents, func(x, y manifest.Document) int {
		return slices.Index(order, x.Kind) - slices.Index(order, y.Kind)
	})
	return documents
}

// batches yields documents in parts that the control API takes. What comes before
// relay keys and service accounts refers to each other and stays together.
func batches(documents []manifest.Document) func(yield func([]manifest.Document) bool) {
	return func(yield func([]manifest.Document) bool) {
		start, size := 0, 0
		for i, d := range documents {
			text, _ := json.Marshal(d)
			if size += len(text); size > mostApplied && i > start {
				if !yield(documents[start:i]) {
					return
				}
				start, size = i, len(text)
			}
		}
		yield(documents[start:])
	}
}

// storeSecrets stores the provider keys that stood in the configuration. One that
// has the value already is left alone.
func (a *app) storeSecrets(ctx context.Context, s *session, result *foreign.Result) error {
	for _, name := range secretNames(result) {
		value := result.Secrets[name]
		record, err := find(ctx, s, hostKeyNoun(), name)
		if err != nil {
			return err
		}
		present, err := admin.Get[store.HostKeySpec](ctx, s.Client, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(value.Reveal()))
		if present.Spec.Source.Kind == "stored" && strings.HasPrefix(hex.EncodeToString(sum[:]), present.Spec.ValueHash) && present.Spec.ValueHash != "" {
			continue
		}
		spec := map[string]any{"source": map[string]any{"kind": "stored", "env": nil, "path": nil}, "value": value.Reveal()}
		if _, err := s.patchFound(ctx, hostKeyNoun(), record, spec); err != nil {
			return fmt.Errorf("store provider key %s: %w", name, err)
		}
		a.note("Stored provider key %s, sealed.", name)
	}
	return nil
}
