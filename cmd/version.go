package cmd

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Version returns what this binary is: the version that the build recorded,
// or the commit it was made from.
func Version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision == "" {
		return "devel"
	}
	revision = "devel-" + revision[:min(12, len(revision))]
	if settings["vcs.modified"] == "true" {
		revision += "-modified"
	}
	return revision
}

type versionBody struct {
	Version string       `json:"version"`
	Go      string       `json:"go"`
	Modules []moduleBody `json:"modules,omitempty"`
}

type moduleBody struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"`
}

func (a *app) versionCommand() *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version, with -v every module in the binary",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.show(versionView(verbose))
		},
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the modules")
	return c
}

func versionView(verbose bool) view {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	body := versionBody{Version: Version(), Go: strings.TrimPrefix(build.GoVersion, "go")}
	t := details([]string{"relay", body.Version}, []string{"go", body.Go})
	if verbose {
		for _, module := range build.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			body.Modules = append(body.Modules, moduleBody{module.Path, module.Version, module.Sum})
			t.rows = append(t.rows, []string{module.Path, module.Version})
		}
	}
	return view{body: body, names: []string{fmt.Sprint("relay ", body.Version)}, table: t}
}
