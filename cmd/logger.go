package cmd

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// newLogger writes to w: JSON, or text where a person reads it. JSON lines wait
// for each other for a moment; close writes those that still do.
func newLogger(w io.Writer, cfg LogConfig) (log zerolog.Logger, closeLog func() error) {
	closeLog = func() error { return nil }
	if cfg.Format == "text" || cfg.Format == "auto" && isTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly, NoColor: !isTerminal(w)}
	} else {
		buffer := newLogBuffer(w)
		w, closeLog = buffer, buffer.Close
	}
	level, err := zerolog.ParseLevel(cfg.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), closeLog
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
