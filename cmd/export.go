package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "export",
		Short: "Write the whole catalog as manifests, without secrets",
		Long: "Writes the whole catalog as manifests that relay apply takes on an empty database.\n" +
			"Values of provider keys are not in it.",
		Args: noArgs,
		RunE: a.online(func(ctx context.Context, s *session, _ []string) error {
			text, err := s.Export(ctx)
			if err != nil {
				return err
			}
			if path == "" || path == "-" {
				_, err := io.Copy(a.Stdout, bytes.NewReader(text))
				return err
			}
			if err := writeWhole(path, text); err != nil {
				return err
			}
			a.note("Wrote the catalog to %s.", path)
			return nil
		}),
	}
	// In the place of -o of other commands: manifests are YAML always.
	c.Flags().StringVarP(&path, "output", "o", "", "`FILE` to write (default: standard output)")
	return c
}

// writeWhole replaces a file by another in one step, so that no reader and no
// crash meets half of it.
func writeWhole(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(file.Name()))
	}
	return nil
}
