package echo

import (
	"encoding/json"
	"net/http"
	"strings"
)

// refuse answers with an error in the form that goes with the path.
func refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	if strings.HasPrefix(r.URL.Path, messagesPath) {
		refuseMessage(w, status, message)
		return
	}
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	answer(w, status, map[string]detail{"error": {Message: message, Type: "invalid_request_error", Code: code}})
}

// refuseMessage answers with an error in Anthropic's form.
func refuseMessage(w http.ResponseWriter, status int, message string) {
	kind := "invalid_request_error"
	switch status {
	case http.StatusUnauthorized:
		kind = "authentication_error"
	case http.StatusNotFound:
		kind = "not_found_error"
	}
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	answer(w, status, struct {
		Type      string  `json:"type"`
		Error     detail  `json:"error"`
		RequestID *string `json:"request_id"`
	}{"error", detail{kind, message}, nil})
}

// answer writes a whole answer.
func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, "encode answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a caller that has gone is no error here
}
