package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"relay/store"
	"relay/store/catalogdata"
)

func (a *app) catalogImportCommand() *cobra.Command {
	var from, date string
	c := &cobra.Command{
		Use:   "import PRICES",
		Short: "Make a catalogue of LiteLLM's map of prices, and print it",
		Long: "Reads LiteLLM's model_prices_and_context_window.json from a file and prints a catalogue: the\n" +
			"one of this Relay, or of --from, with the prices of the map. A price that differs holds from\n" +
			"--date on, so that what was used before keeps its price. Nothing is changed until\n" +
			"relay catalog update takes it.",
		Example: "  relay catalog import model_prices_and_context_window.json > catalog.yaml\n  relay catalog update catalog.yaml --dry-run",
		Args:    exactly("PRICES"),
	}
	c.Flags().StringVar(&from, "from", "", "`FILE` of the catalogue to begin with")
	c.Flags().StringVar(&date, "date", "", "`DAY` from which the prices hold (default: today)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if date == "" {
			date = time.Now().UTC().Format(time.DateOnly)
		}
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			return usagef("--date %s: write a day such as 2026-01-31", date)
		}
		base, err := catalogdata.Load()
		if from != "" {
			base, err = a.catalogueAt(c.Context(), from)
		}
		if err != nil {
			return err
		}
		return a.importPrices(base, args[0], date)
	}
	return c
}

func (a *app) importPrices(base *catalogdata.Data, path, date string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return usagef("read prices: %v", err)
	}
	prices, err := catalogdata.ReadPriceMap(text)
	if err != nil {
		return &store.Error{Code: store.CodeInvalid, Message: path + ": " + err.Error()}
	}
	source := catalogdata.Source{ID: "litellm-" + date, Title: "LiteLLM price map, " + filepath.Base(path), URL: "https://github.com/BerriAI/litellm", License: "MIT", Date: date}
	made, taken, err := base.WithPrices(prices, source)
	if err != nil {
		return &store.Error{Code: store.CodeInvalid, Message: path + ": " + err.Error()}
	}
	out, err := made.Text()
	if err != nil {
		return err
	}
	if _, err := a.Stdout.Write(out); err != nil {
		return err
	}
	a.note("%s", takenSentence(made.Release, taken))
	return nil
}

func takenSentence(release int, t catalogdata.Taken) string {
	return fmt.Sprintf("Release %d: %s, %s new, %d of others left out.", release, counted(len(t.Priced), "other price"), counted(len(t.Made), "model"), t.Left)
}
