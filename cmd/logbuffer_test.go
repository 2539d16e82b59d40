package cmd_test

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"relay/cmd"
)

// lines is a writer that says what each write held.
type lines struct {
	mu     sync.Mutex
	writes []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, string(p))
	return len(p), nil
}

func (l *lines) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.writes
	l.writes = nil
	return w
}

func TestLogBuffer_WritesLinesTogetherAndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &lines{}
		b := cmd.NewLogBuffer(out)
		for range 3 { // more than one round of the timer
			_, _ = b.WriteLevel(zerolog.InfoLevel, []byte("a\n"))
			_, _ = b.WriteLevel(zerolog.InfoLevel, []byte("b\n"))
			if got := out.take(); len(got) != 0 {
				t.Fatalf("%q is written at once", got)
			}
			<-time.After(100 * time.Millisecond)
			synctest.Wait()
			if got := out.take(); len(got) != 1 || got[0] != "a\nb\n" {
				t.Fatalf("after the delay %q is written", got)
			}
		}
		_ = b.Close()
	})
}

func TestLogBuffer_WritesAWarningAtOnceAndInOrder(t *testing.T) {
	out := &lines{}
	b := cmd.NewLogBuffer(out)
	_, _ = b.WriteLevel(zerolog.InfoLevel, []byte("a\n"))
	_, _ = b.WriteLevel(zerolog.WarnLevel, []byte("b\n"))
	if got := strings.Join(out.take(), ""); got != "a\nb\n" {
		t.Errorf("%q is written", got)
	}
	_, _ = b.Write([]byte("c\n"))
	_ = b.Close()
	if got := strings.Join(out.take(), ""); got != "c\n" {
		t.Errorf("close writes %q", got)
	}
}

func TestLogBuffer_LosesNoLineOfManyWriters(t *testing.T) {
	var out bytes.Buffer
	b := cmd.NewLogBuffer(io.Writer(&out))
	var writers sync.WaitGroup
	line := []byte(strings.Repeat("x", 99) + "\n")
	for range 8 {
		writers.Go(func() {
			for range 1000 {
				_, _ = b.WriteLevel(zerolog.InfoLevel, line)
			}
		})
	}
	writers.Wait()
	_ = b.Close()
	if want := strings.Repeat(string(line), 8000); out.String() != want {
		t.Errorf("%d bytes are written, want %d", out.Len(), len(want))
	}
}
