package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
	"relay/store/foreign"
	"relay/store/manifest"
)

// importFlags say where what was read goes.
type importFlags struct {
	out         string
	keys        string
	apply       bool
	withSecrets bool
}

func (a *app) importCommand() *cobra.Command {
	return group("import", "Move here from another gateway", a.importLiteLLMCommand(), a.importOneAPICommand("one-api", foreign.OneAPI), a.importOneAPICommand("new-api", foreign.NewAPI))
}

const importHelp = `
Prints manifests, or applies them with --apply, and a table on standard error of what
is taken over, what is approximated and how, and what is not supported and why. Keys
that were handed out go on working. Provider keys that stand in the file are never
printed: their place is taken by a variable named after the key, or --apply
--with-secrets stores them.`

func (a *app) importLiteLLMCommand() *cobra.Command {
	flags := importFlags{}
	c := &cobra.Command{
		Use:   "litellm CONFIG [--keys FILE]",
		Short: "Move from the LiteLLM proxy",
		Long: "Reads a config.yaml of the LiteLLM proxy (- for standard input) and, with --keys, its virtual keys: an export as\n" +
			"CSV or JSON of LiteLLM_VerificationToken, or of LiteLLM_VerificationTokenView, which has the teams.\n" + importHelp,
		Example: "  relay import litellm config.yaml > relay.d/litellm.yaml\n  relay import litellm config.yaml --keys keys.csv --apply",
		Args:    exactly("CONFIG"),
	}
	flags.register(c)
	c.Flags().StringVar(&flags.keys, "keys", "", "`FILE` with the virtual keys, CSV or JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.runImport(c, flags, append(args, flags.keys), func(files []io.Reader) (*foreign.Result, error) {
			var keys io.Reader
			if len(files) > 1 {
				keys = files[1]
			}
			return foreign.LiteLLM(files[0], keys, foreign.Options{LookupEnv: a.Env})
		})
	}
	return c
}

func (a *app) importOneAPICommand(name string, read func([]io.Reader, foreign.Options) (*foreign.Result, error)) *cobra.Command {
	flags := importFlags{}
	c := &cobra.Command{
		Use:   name + " EXPORT...",
		Short: "Move from " + name,
		Long: "Reads exports of " + name + ": the tables channels and tokens and, where they are there, users and options. Forms: an SQL\n" +
			"dump with INSERT statements (sqlite3 one-api.db .dump, mysqldump, pg_dump --inserts), a JSON object with a list\n" +
			"for each table, or a list of one table as JSON or CSV. The lists of its API leave the keys out.\n" + importHelp,
		Example: "  relay import " + name + " dump.sql --out relay.d/" + name + ".yaml\n  relay import " + name + " channels.json tokens.json --apply --with-secrets",
		Args:    cobra.MinimumNArgs(1),
	}
	flags.register(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.runImport(c, flags, args, func(files []io.Reader) (*foreign.Result, error) {
			return read(files, foreign.Options{LookupEnv: a.Env})
		})
	}
	return c
}

func (f *importFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.out, "out", "", "`FILE` for the manifests (default: standard output)")
	c.Flags().BoolVar(&f.apply, "apply", false, "apply the manifests and print none")
	c.Flags().BoolVar(&f.withSecrets, "with-secrets", false, "with --apply: store the provider keys that stand in the file")
}

// runImport reads the files, tells what became of them, and puts the manifests
// where the flags say.
func (a *app) runImport(c *cobra.Command, flags importFlags, paths []string, read func([]io.Reader) (*foreign.Result, error)) error {
	switch {
	case flags.withSecrets && !flags.apply:
		return usagef("--with-secrets goes with --apply: manifests hold no secrets")
	case flags.apply && flags.out != "":
		return usagef("give --apply or --out, not both")
	}
	result, err := a.readForeign(paths, read)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := result.WriteManifests(&text); err != nil {
		return err
	}
	if err := a.showImported(result); err != nil {
		return err
	}
	if flags.apply {
		return a.applyImported(c, result, text.Bytes(), flags.withSecrets)
	}
	a.noteSecrets(result)
	return a.writeImported(flags.out, text.Bytes())
}

func (a *app) readForeign(paths []string, read func([]io.Reader) (*foreign.Result, error)) (*foreign.Result, error) {
	var files []io.Reader
	for _, path := range slices.DeleteFunc(paths, func(path string) bool { return path == "" }) {
		if path == "-" {
			files = append(files, a.Stdin)
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, &store.Error{Code: store.CodeInvalid, Message: err.Error()}
		}
		defer file.Close()
		files = append(files, file)
	}
	result, err := read(files)
	if err != nil {
		return nil, &store.Error{Code: store.CodeInvalid, Message: err.Error()}
	}
	return result, nil
}

// showImported draws the table of outcomes on standard error, since manifests go
// to standard output.
func (a *app) showImported(result *foreign.Result) error {
	t := table{columns: []column{left("outcome"), left("what"), left("how or why")}}
	for _, row := range result.Report.Rows() {
		t.rows = append(t.rows, []string{string(row.Outcome), row.What(), row.Note})
	}
	if !a.global.quiet {
		if err := t.write(a.Stderr, 0, false); err != nil {
			return err
		}
	}
	count := result.Report.Count
	a.note("Read: %d taken over, %d approximated, %d not supported.", count(foreign.Taken), count(foreign.Approximated), count(foreign.Unsupported))
	if len(result.Variables) > 0 {
		a.note("Set these where Relay runs: %s.", strings.Join(result.Variables, ", "))
	}
	return nil
}

// noteSecrets says which variables stand for the keys that are not printed.
func (a *app) noteSecrets(result *foreign.Result) {
	for _, name := range secretNames(result) {
		a.note("Provider key %s stands in the file and is not printed: set %s, or run relay hostkey rotate %s.", name, manifest.VariableFor(name), name)
	}
}

func (a *app) writeImported(path string, text []byte) error {
	if len(text) > manifest.MaxSize {
		a.note("The manifests are larger than relay apply takes in one file: use --apply, or split them at ---.")
	}
	if path == "" || path == "-" {
		_, err := a.Stdout.Write(text)
		return err
	}
	if err := writeWhole(path, text); err != nil {
		return err
	}
	a.note("Wrote the manifests to %s. Apply them: relay apply -f %s", path, path)
	return nil
}

// splitManifests cuts manifests into parts that a reader takes.
func splitManifests(text []byte) [][]byte {
	var parts [][]byte
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		document = append(document, '\n')
		last := len(parts) - 1
		if last < 0 || len(parts[last])+len(document)+4 > manifest.MaxSize {
			parts = append(parts, document)
			continue
		}
		parts[last] = append(append(parts[last], "---\n"...), document...)
	}
	return parts
}

// importedDocuments reads the manifests as relay apply would.
func importedDocuments(text []byte) ([]manifest.Document, error) {
	var documents []manifest.Document
	for _, part := range splitManifests(text) {
		read, problems := manifest.Read(bytes.NewReader(part), "import", manifest.Options{})
		if len(problems) > 0 {
			return nil, &store.Error{Code: store.CodeInvalid, Message: problems[0].String()}
		}
		documents = append(documents, read...)
	}
	if len(documents) == 0 {
		return nil, errors.New("there is nothing to apply")
	}
	for i := range documents {
		documents[i].File, documents[i].Line, documents[i].Lines = "", 0, nil
	}
	return documents, nil
}
