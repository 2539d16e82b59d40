package wire

import (
	"strings"
	"time"
)

// readDetails reads two of an error's details
// (https://cloud.google.com/apis/design/errors#error_details): the reason of a
// google.rpc.ErrorInfo, and the delay of a google.rpc.RetryInfo, a count of
// seconds such as 13s or 0.25s.
func (f *Failure) readDetails(w *Walker) {
	for more := w.Array(); more; more = w.Element() {
		for more := w.Object(); more; more = w.Member() {
			switch string(w.Name()) {
			case "reason":
				f.cause = w.said()
			case "retryDelay":
				f.RetryAfter = max(f.RetryAfter, seconds(w.said()))
			}
		}
	}
}

func seconds(text string) time.Duration {
	if n, err := time.ParseDuration(text); err == nil && strings.HasSuffix(text, "s") {
		return n
	}
	return 0
}
