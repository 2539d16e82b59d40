package gateway_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/wire"
)

// FuzzRetryAfter holds the readers of waits, and what comes of them, to their
// promises: nothing is negative, a key rests for 250 ms to an hour, and callers
// are told whole seconds from 1 on, or a date.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", ""}, {"3", "", "13s"}, {"3.5", "", "0.25s"}, {"0", "0", "0s"}, {"-1", "-250", "-5s"}, {"1e400", "250", "1h"},
		{"1000000000000", "", "9223372036s"}, {"9223372036854775807", "", "9223372037s"}, {"18446744073709551616", "99999999999999999999", "1e9s"},
		{"Fri, 27 Feb 2026 12:00:00 GMT", "", "1h1s"}, {"Mon, 02 Mar 2026 12:00:07 GMT", ".5", "5ms"}, {"Mon, 02 Mar 9999 12:00:07 GMT", "1.", "1ns"},
		{"Monday, 02-Mar-26 12:00:07 GMT", "0.0000001", " 3s"}, {"Mon Mar  2 12:00:07 2026", "NaN", "Infs"}, {"Mon, 01 Jan 0001 00:00:00 GMT", "1_000", "１s"},
		{" 5 ", "\t7", "5s\x00"}, {"soon", "1000000", "s"}, {".", "..", "-s"}, {"0x10", "+5", "1m5s"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, header, millis, delay string) {
		h := http.Header{}
		if header != "" {
			h.Set("Retry-After", header)
		}
		if millis != "" {
			h.Set("Retry-After-Ms", millis)
		}
		asked := gateway.RetryAfter(h, noon)
		checkAsked(t, asked, header, millis)
		body := `{"error":{"code":429,"details":[{"retryDelay":` + strconv.Quote(strings.ToValidUTF8(delay, "")) + `}]}}`
		failure := wire.AnswerFailure(429, []byte(body))
		if failure.RetryAfter < 0 {
			t.Errorf("the details %q ask for %s", delay, failure.RetryAfter)
		}
		for _, wait := range []time.Duration{asked, failure.RetryAfter} {
			if rest := gateway.RestFor(wait); rest < 250*time.Millisecond || rest > time.Hour {
				t.Errorf("a key rests for %s when %s is asked", rest, wait)
			}
			checkTold(t, gateway.ToldRetryAfter(h.Get("Retry-After"), wait), wait)
		}
	})
}

func checkAsked(t *testing.T, asked time.Duration, header, millis string) {
	t.Helper()
	if asked < 0 || asked > time.Hour {
		t.Errorf("Retry-After %q, ms %q: %s", header, millis, asked)
	}
	if n, err := strconv.ParseUint(millis, 10, 40); err == nil && n > 0 {
		if want := min(time.Duration(n)*time.Millisecond, time.Hour); (asked - want).Abs() > time.Microsecond {
			t.Errorf("ms %q: %s, want %s", millis, asked, want)
		}
		return
	}
	if millis != "" {
		return
	}
	if n, err := strconv.ParseUint(header, 10, 30); err == nil {
		if want := min(max(time.Duration(n)*time.Second, 250*time.Millisecond), time.Hour); asked != want {
			t.Errorf("Retry-After %q: %s, want %s", header, asked, want)
		}
	}
	if _, err := http.ParseTime(header); err == nil && asked < 250*time.Millisecond {
		t.Errorf("the date %q: %s", header, asked)
	}
}

func checkTold(t *testing.T, told string, wait time.Duration) {
	t.Helper()
	if told == "" {
		if wait > 0 {
			t.Errorf("nothing is told of a wait of %s", wait)
		}
		return
	}
	if _, err := http.ParseTime(told); err == nil {
		return
	}
	if n, err := strconv.ParseUint(told, 10, 63); err != nil || n == 0 || strconv.FormatUint(n, 10) != told {
		t.Errorf("Retry-After: %s is told", told)
	}
}
