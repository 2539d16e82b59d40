package cmd_test

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "relay"

// arrows lists which packages of the module each may import, in code that is
// not a test. "store/*" stands for every package below store.
func arrows() map[string][]string {
	return map[string][]string{
		".":                {"cmd"},
		"cmd":              {"admin", "gateway", "gateway/plan", "gateway/echo", "store", "store/*", "limiter", "limiter/redis", "ui"},
		"admin":            {"store", "store/manifest", "store/token", "limiter", "gateway/plan"},
		"store":            {"limiter"},
		"store/*":          {"store"},
		"store/manifest":   {"store", "limiter"}, // the rule type, whose windows manifests write as durations
		"store/foreign":    {"store", "store/manifest", "store/catalogdata", "limiter"},
		"limiter":          {},
		"limiter/*":        {"limiter"},
		"gateway":          {"gateway/plan", "gateway/http1", "store", "store/token", "limiter", "gateway/wire", "gateway/wire/*"},
		"gateway/plan":     {"store", "limiter"},
		"gateway/wire":     {},
		"gateway/wire/*":   {"gateway/wire", "gateway/wire/hub"},
		"gateway/wire/hub": {"gateway/wire"},
		// The younger shapes of OpenAI have the errors and model lists of chat completions.
		"gateway/wire/responses": {"gateway/wire", "gateway/wire/hub", "gateway/wire/chat"},
		"gateway/wire/generate":  {"gateway/wire", "gateway/wire/hub", "gateway/wire/chat"},
		"gateway/wire/media":     {"gateway/wire", "gateway/wire/chat"},
		"gateway/*":              {},
		"ui":                     {},
	}
}

// homes says where a module of others may be imported, tests aside.
func homes() map[string][]string {
	return map[string][]string{
		"github.com/spf13/viper":              {"cmd/config.go"},
		"github.com/go-viper/mapstructure/v2": {"cmd/config.go", "cmd/config_decode.go"},
		"github.com/spf13/cobra":              {"cmd"},
		"github.com/spf13/pflag":              {"cmd"},
		"golang.org/x/term":                   {"cmd"},
		"go.etcd.io/bbolt":                    {"store"},
		"github.com/gorilla/mux":              {"gateway/server.go", "admin"},
		"github.com/danielgtaylor/huma/v2":    {"admin"},
		"github.com/prometheus/client_golang": {"gateway", "admin", "cmd"},
		"github.com/rs/zerolog":               {"gateway", "admin", "store", "cmd"},
		"github.com/tidwall/gjson":            {"gateway"},
		"github.com/klauspost/compress":       {"gateway"},
		"github.com/google/uuid":              {"store", "gateway", "admin"},
		"go.yaml.in/yaml/v3":                  {"cmd", "store/manifest", "store/catalogdata", "store/foreign"},
		"github.com/redis/rueidis":            {"limiter/redis", "store/redis"},
		"golang.org/x/crypto":                 {"store/password.go", "cmd"},
		"golang.org/x/oauth2":                 {"admin"},
		"github.com/coreos/go-oidc/v3":        {"admin"},
		"go.opentelemetry.io/otel":            {"gateway", "cmd"},
	}
}

// pure are the packages that need nothing but the standard library, save what
// homes gives to the package or one above it.
func pure() []string { return []string{"limiter", "gateway/http1", "gateway/wire", "ui"} }

// top is all that lies at the top of the repository.
func top() []string {
	return []string{
		".ci", ".git", ".gitignore", ".golangci.yml", ".goreleaser.yaml", "CHANGELOG.md", "LICENSE", "Makefile", "README.md",
		"SECURITY.md", "admin", "cmd", "deploy", "docs", "gateway", "go.mod", "go.sum", "limiter", "main.go",
		"relay.example.yaml", "store", "testdata", "ui",
	}
}

func TestArchitecture_PackagesImportOnlyAlongTheArrows(t *testing.T) {
	for _, file := range sources(t) {
		if file.test || isTestSupport(file.pkg) {
			continue
		}
		allowed, known := lookup(arrows(), file.pkg)
		if !known {
			t.Errorf("%s: package %s has no row in the table of arrows", file.path, file.pkg)
			continue
		}
		for _, imported := range imports(file) {
			inside, ours := strings.CutPrefix(imported, module+"/")
			if ours && !matchesAny(allowed, inside) {
				t.Errorf("%s imports %s; %s may import only %s", file.path, inside, file.pkg, strings.Join(allowed, ", "))
			}
		}
	}
}

func TestArchitecture_LibrariesStayAtHome(t *testing.T) {
	for _, file := range sources(t) {
		if file.test || isTestSupport(file.pkg) {
			continue
		}
		for _, imported := range imports(file) {
			if isStandard(imported) || strings.HasPrefix(imported, module+"/") {
				continue
			}
			library, places := homeOf(imported)
			if !slices.ContainsFunc(places, func(place string) bool { return isWithin(file.path, place) }) {
				t.Errorf("%s imports %s, whose home is %q (%v)", file.path, imported, library, places)
			}
		}
	}
}

func TestArchitecture_PurePackagesUseTheStandardLibrary(t *testing.T) {
	for _, file := range sources(t) {
		if file.test || !slices.ContainsFunc(pure(), func(p string) bool { return file.pkg == p }) {
			continue
		}
		for _, imported := range imports(file) {
			gjsonInWire := file.pkg == "gateway/wire" && imported == "github.com/tidwall/gjson"
			if !isStandard(imported) && !gjsonInWire {
				t.Errorf("%s imports %s; %s uses the standard library only", file.path, imported, file.pkg)
			}
		}
	}
}

func TestArchitecture_OnlyCmdReadsTheProcess(t *testing.T) {
	process := map[string][]string{
		"os":        {"Getenv", "LookupEnv", "Environ", "Setenv", "Exit", "Args", "Stdin", "Stdout", "Stderr"},
		"os/signal": {"Notify", "NotifyContext", "Ignore"},
		"flag":      {"Parse", "String", "Bool", "Int"},
	}
	for _, file := range sources(t) {
		if file.test || file.pkg == "cmd" || file.pkg == "." {
			continue
		}
		for imported, names := range process {
			for _, used := range selections(file, imported) {
				if slices.Contains(names, used) {
					t.Errorf("%s uses %s.%s; only cmd reads the process", file.path, path.Base(imported), used)
				}
			}
		}
	}
}

func TestArchitecture_NothingRunsOrChangesAtPackageLevel(t *testing.T) {
	for _, file := range sources(t) {
		if file.test {
			continue
		}
		if slices.Contains(imports(file), "github.com/rs/zerolog/log") {
			t.Errorf("%s imports zerolog's global logger; a logger is passed as a value", file.path)
		}
		for _, declaration := range file.syntax.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s has an init function", file.path)
				}
			case *ast.GenDecl:
				checkVariables(t, file, d)
			}
		}
	}
}

// checkVariables refuses package-level variables that can be changed in place
// or hold a lock: maps, sync and atomic types, channels.
func checkVariables(t *testing.T, file sourceFile, d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		value := spec.(*ast.ValueSpec)
		if isMutable(value.Type) || slices.ContainsFunc(value.Values, isMutableValue) {
			t.Errorf("%s: package-level variable %s can change; make it a function or a field", file.path, value.Names[0].Name)
		}
	}
}

func isMutable(typ ast.Expr) bool {
	switch typ := typ.(type) {
	case *ast.MapType, *ast.ChanType:
		return true
	case *ast.SelectorExpr:
		base, _ := typ.X.(*ast.Ident)
		return base != nil && (base.Name == "sync" || base.Name == "atomic")
	}
	return false
}

func isMutableValue(value ast.Expr) bool {
	switch value := value.(type) {
	case *ast.CompositeLit:
		return isMutable(value.Type)
	case *ast.CallExpr:
		made, _ := value.Fun.(*ast.Ident)
		return made != nil && made.Name == "make"
	}
	return false
}

func TestArchitecture_NothingElseLiesAtTheTop(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(top(), entry.Name()) && !isIgnored(entry.Name()) {
			t.Errorf("%s lies at the top of the repository; its place is in one of %s", entry.Name(), strings.Join(top(), ", "))
		}
	}
}

// isIgnored reports whether a name is what a build leaves behind.
func isIgnored(name string) bool {
	text, err := os.ReadFile("../.gitignore")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if pattern := strings.Trim(strings.TrimSpace(line), "/"); pattern != "" {
			if matched, _ := path.Match(pattern, name); matched {
				return true
			}
		}
	}
	return false
}

func TestArchitecture_NoPackageOrFileIsNamedAfterNothing(t *testing.T) {
	for _, file := range sources(t) {
		words := strings.FieldsFunc(strings.TrimSuffix(file.path, ".go"), func(r rune) bool { return strings.ContainsRune("/_.", r) })
		for _, word := range words {
			if slices.Contains([]string{"util", "utils", "helper", "helpers", "common", "manager", "info", "misc"}, word) {
				t.Errorf("%s: %q says nothing about what is in it", file.path, word)
			}
		}
	}
}
