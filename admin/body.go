package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"relay/store"
)

const (
	maxBody     = 1 << 20 // bytes
	bodyTimeout = 30 * time.Second
)

// checkedBody reads the body of a write whole and lets it through when it is
// one JSON value of at most 1 MiB in which no member appears twice. Readers
// differ in which of two members they take, so neither is right.
func checkedBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !writes(r) {
			next.ServeHTTP(w, r)
			return
		}
		body, fault := readBody(w, r)
		if fault != nil {
			writeProblem(w, fault)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
}

// writes reports whether the method takes a body here.
func writes(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return true
	}
	return false
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *Problem) {
	if !takesContent(r) {
		return nil, problem(http.StatusUnsupportedMediaType, "the body must be JSON: send Content-Type: application/json")
	}
	if r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTimeout)) // in process there is none to set
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = deadline.SetReadDeadline(time.Time{})
	if err != nil {
		return nil, unreadBody(err)
	}
	if len(body) == 0 {
		return body, nil
	}
	if err := scanJSON(body); err != nil {
		p := problem(http.StatusBadRequest, "%s", err)
		p.Code = store.CodeInvalid
		return nil, p
	}
	return body, nil
}

func takesContent(r *http.Request) bool {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.EqualFold(or(params["charset"], "utf-8"), "utf-8") {
		return false
	}
	return kind == "application/json" || kind == mergePatch && r.Method == http.MethodPatch
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func unreadBody(err error) *Problem {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return tooLarge()
	}
	return problem(http.StatusRequestTimeout, "the body did not arrive whole within %s", bodyTimeout)
}

func tooLarge() *Problem {
	return problem(http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
}

// decodeJSON is json.Unmarshal with errors that say where and what, without
// the decoder's text, which quotes what was sent.
func decodeJSON(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		return fmt.Errorf("%s does not hold what belongs there, or is out of range", mismatch.Field)
	}
	return errors.New("the body does not hold what belongs there")
}
