package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sourceFile is one Go file of the repository.
type sourceFile struct {
	path   string // from the top, with slashes
	pkg    string // its directory
	test   bool
	syntax *ast.File
}

func sources(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	set := token.NewFileSet()
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(name, ".."), string(filepath.Separator)))
		if entry.IsDir() {
			if inside != "" && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(inside, ".go") {
			return nil
		}
		syntax, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		files = append(files, sourceFile{inside, path.Dir(inside), strings.HasSuffix(inside, "_test.go"), syntax})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func imports(file sourceFile) []string {
	var paths []string
	for _, spec := range file.syntax.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, imported)
	}
	return paths
}

// selections returns the names that a file takes from a package.
func selections(file sourceFile, imported string) []string {
	if !slices.Contains(imports(file), imported) {
		return nil
	}
	var used []string
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if base, ok := selector.X.(*ast.Ident); ok && base.Name == path.Base(imported) {
				used = append(used, selector.Sel.Name)
			}
		}
		return true
	})
	return used
}

// isTestSupport reports whether a package is there for tests alone.
func isTestSupport(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// isStandard reports whether an import path is of the standard library.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != module
}

// isWithin reports whether a file is a place, or lies in or below it.
func isWithin(file, place string) bool {
	return file == place || strings.HasPrefix(file, place+"/")
}

// homeOf returns the library that an import path belongs to and its places.
func homeOf(imported string) (library string, places []string) {
	for library, places := range homes() {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library, places
		}
	}
	return "none: it is not among the libraries of the project", nil
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, pkg) })
}

// matches reports whether a package is the pattern, or below it for "x/*".
func matches(pattern, pkg string) bool {
	parent, below := strings.CutSuffix(pattern, "/*")
	if !below {
		return pattern == pkg
	}
	return strings.HasPrefix(pkg, parent+"/")
}

// lookup returns the row of a package: its own, or the longest that matches.
func lookup(table map[string][]string, pkg string) (row []string, found bool) {
	best := ""
	for pattern := range table {
		if pattern == pkg {
			return table[pattern], true
		}
		if matches(pattern, pkg) && len(pattern) > len(best) {
			best = pattern
		}
	}
	return table[best], best != ""
}
