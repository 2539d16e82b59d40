package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"relay/store"
)

// MaxSize is the largest file that Read takes, in bytes.
const MaxSize = 1 << 20

// Options tells Read about its surroundings.
type Options struct {
	LookupEnv func(name string) (value string, set bool) // nil: no variable is set
	Stdin     io.Reader                                  // what ReadPath reads for "-"; nil: nothing
}

// Read reads every document of r. It returns those that are right in themselves
// and what is wrong with the others; file stands in both. A syntax error ends
// the reading, since nobody can tell where the next document begins.
func Read(r io.Reader, file string, o Options) ([]Document, []FileProblem) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	switch {
	case err != nil:
		return nil, []FileProblem{fileProblem(file, 0, "cannot be read: "+err.Error())}
	case len(text) > MaxSize:
		return nil, []FileProblem{fileProblem(file, 0, "is larger than 1 MiB: split it into several files")}
	}
	var docs []Document
	var problems []FileProblem
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return docs, problems
		}
		if err != nil {
			return docs, append(problems, syntaxProblem(file, err))
		}
		read, faults := readDocument(&node, file, o)
		docs, problems = append(docs, read...), append(problems, inFileOrder(faults)...)
	}
}

// ReadPath reads a file, the files of a folder that end in .yaml, .yml or .json
// (not those of folders inside it, nor those that begin with a dot), or standard
// input for "-".
func ReadPath(path string, o Options) ([]Document, []FileProblem) {
	if path == "-" {
		if o.Stdin == nil {
			return nil, []FileProblem{fileProblem(path, 0, "standard input is not available here")}
		}
		return Read(o.Stdin, "stdin", o)
	}
	files, err := filesOf(path)
	if err != nil {
		return nil, []FileProblem{fileProblem(path, 0, "cannot be read: "+reason(err))}
	}
	if len(files) == 0 {
		return nil, []FileProblem{fileProblem(path, 0, "holds no file that ends in .yaml, .yml or .json")}
	}
	return readFiles(files, o)
}

// ReadFolder is ReadPath of a folder, which may be empty.
func ReadFolder(path string, o Options) ([]Document, []FileProblem) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, []FileProblem{fileProblem(path, 0, "cannot be read: "+reason(err))}
	}
	return readFiles(manifestsIn(path, entries), o)
}

func readFiles(files []string, o Options) ([]Document, []FileProblem) {
	var docs []Document
	var problems []FileProblem
	for _, file := range files {
		read, faults := readFile(file, o)
		docs, problems = append(docs, read...), append(problems, faults...)
	}
	return docs, problems
}

func filesOf(path string) ([]string, error) {
	stat, err := os.Stat(path)
	if err != nil || !stat.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	return manifestsIn(path, entries), err
}

// manifestsIn picks the manifests among the entries of a folder, without what
// editors and orchestrators hide there.
func manifestsIn(path string, entries []os.DirEntry) []string {
	var files []string
	for _, entry := range entries {
		extension := strings.ToLower(filepath.Ext(entry.Name()))
		if !entry.IsDir() && entry.Name()[0] != '.' && slices.Contains([]string{".yaml", ".yml", ".json"}, extension) {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	return files
}

func readFile(path string, o Options) ([]Document, []FileProblem) {
	file, err := os.Open(path)
	if err != nil {
		return nil, []FileProblem{fileProblem(path, 0, "cannot be read: "+reason(err))}
	}
	defer file.Close()
	return Read(file, path, o)
}

// reason leaves out the path, which a FileProblem names already.
func reason(err error) string {
	if cause := errors.Unwrap(err); cause != nil {
		return cause.Error()
	}
	return err.Error()
}

func fileProblem(file string, line int, message string) FileProblem {
	return FileProblem{File: file, Line: line, Problem: store.Problem{Message: message}}
}

var syntaxPattern = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`)

func syntaxProblem(file string, err error) FileProblem {
	found := syntaxPattern.FindStringSubmatch(err.Error())
	if found == nil {
		return fileProblem(file, 0, fmt.Sprintf("is not YAML: %v", err))
	}
	line, _ := strconv.Atoi(found[1])
	return fileProblem(file, line, "is not YAML: "+found[2])
}
