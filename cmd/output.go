package cmd

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/term"
)

// outputFormats are the values of -o.
func outputFormats() []string { return []string{"table", "json", "yaml", "csv", "name"} }

// outputNothing is for commands of which only the exit code counts.
const outputNothing = "nothing"

// view is one answer in all its forms.
type view struct {
	body  any      // the API's JSON, for -o json and yaml
	names []string // for -o name
	table table    // for -o table and csv
}

// show writes the answer in the format of -o.
func (a *app) show(v view) error {
	switch a.global.output {
	case "json":
		return writeJSON(a.Stdout, v.body)
	case "yaml":
		return writeYAML(a.Stdout, v.body)
	case "csv":
		return writeCSV(a.Stdout, v.table)
	case outputNothing:
		return nil
	case "name":
		for _, name := range v.names {
			if _, err := fmt.Fprintln(a.Stdout, name); err != nil {
				return err
			}
		}
		return nil
	}
	return v.table.write(a.Stdout, terminalWidth(a.Stdout), a.bold())
}

// note writes a line for people to stderr, so that stdout holds answers only.
func (a *app) note(format string, args ...any) {
	if !a.global.quiet {
		fmt.Fprintf(a.Stderr, format+"\n", args...)
	}
}

// whenSlow notes what is being done once it takes more than a second. The
// function that it returns ends this.
func (a *app) whenSlow(format string, args ...any) (stop func()) {
	noted := make(chan struct{})
	timer := time.AfterFunc(time.Second, func() {
		a.note(format, args...)
		close(noted)
	})
	return func() {
		if !timer.Stop() {
			<-noted
		}
	}
}

// human reports whether answers are for people rather than programs.
func (a *app) human() bool { return a.global.output == "table" }

func writeJSON(w io.Writer, body any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(body)
}

// writeYAML writes the JSON of body as YAML with its members in their order.
func writeYAML(w io.Writer, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return err
	}
	blockStyle(&node)
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return err
	}
	return encoder.Close()
}

// blockStyle undoes the braces and quotes that JSON needs and YAML does not.
func blockStyle(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		blockStyle(child)
	}
}

func writeCSV(w io.Writer, t table) error {
	writer := csv.NewWriter(w)
	titles := make([]string, len(t.columns))
	for i, column := range t.columns {
		titles[i] = strings.ToLower(column.title)
	}
	if err := writer.Write(titles); err != nil {
		return err
	}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = inertCell(cell)
		}
		if err := writer.Write(cells); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// inertCell keeps spreadsheets from running a cell as a formula.
func inertCell(cell string) string {
	if cell != "" && cell != "-" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// terminalWidth returns the columns of a terminal, or 0 for anything else.
func terminalWidth(w io.Writer) int {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// bold reports whether headings may stand out.
func (a *app) bold() bool {
	return terminalWidth(a.Stdout) > 0 && a.Env.get("NO_COLOR") == "" && a.Env.get("TERM") != "dumb"
}
