package echo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// events writes an event stream until the caller has gone.
type events struct {
	w     http.ResponseWriter
	r     *http.Request
	pause time.Duration // before each event
	gone  bool
}

func (h *handler) newEvents(w http.ResponseWriter, r *http.Request) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return &events{w: w, r: r, pause: h.options.Pause}
}

// send writes an event; an empty name is left out.
func (e *events) send(name string, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		e.gone = true
		return
	}
	e.write(name, string(data))
}

func (e *events) write(name, data string) {
	if e.wait(); e.gone {
		return
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	if _, err := fmt.Fprintf(e.w, "%sdata: %s\n\n", name, data); err != nil {
		e.gone = true
		return
	}
	e.gone = http.NewResponseController(e.w).Flush() != nil
}

// wait pauses before an event, no longer than the caller is there.
func (e *events) wait() {
	if e.pause <= 0 || e.gone {
		return
	}
	timer := time.NewTimer(e.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.r.Context().Done():
		e.gone = true
	}
}
