package admin

import (
	"net/http"

	"relay/store"
)

// tell writes into the audit log what became of a call: that it was refused, or
// that it changed what is no record. Changes of records are told of by the
// write itself.
func (s *server) tell(k *errand, n need, r *http.Request, status int) {
	refused, done := status == http.StatusForbidden || k.hidden, status < http.StatusBadRequest
	changes := !k.written && !k.quiet && !n.quiet && !safe(r.Method)
	if !refused && (!done || !changes && !n.loud) {
		return
	}
	entry := store.AuditEntry{Actor: anonymous(), Address: k.address, Action: k.action, Outcome: store.AuditDone, Status: status, Records: k.records}
	if k.caller != nil {
		entry.Actor = k.actor
	}
	if refused {
		entry.Outcome, entry.Reason = store.AuditRefused, http.StatusText(http.StatusForbidden)
	}
	s.audit(entry)
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// audit writes an entry. What cannot be written is in the log of the process.
func (s *server) audit(entry store.AuditEntry) {
	if err := s.DB.AppendAudit(entry); err != nil {
		s.Log.Error().Err(err).Str("action", entry.Action).Str("outcome", entry.Outcome).Msg("the audit log cannot be written")
	}
}
