package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"relay/store"
)

// write changes the catalog on behalf of the caller. What the change comes to
// is held against the caller's rights, row by row and whatever the route, and
// the audit log tells of it in the same transaction.
func (s *server) write(ctx context.Context, change func(e *store.Edit) error) (*store.Catalog, error) {
	return s.writeAs(ctx, "", change)
}

// writeAs is write for a change that needs another verb than create, update and
// delete.
func (s *server) writeAs(ctx context.Context, verb store.Verb, change func(e *store.Edit) error) (*store.Catalog, error) {
	k := errandOf(ctx)
	by := anonymous()
	if k.caller != nil {
		by = k.actor
	}
	before := s.DB.Catalog().Generation
	c, err := s.DB.Write(func(e *store.Edit) error {
		before = s.DB.Catalog().Generation
		e.Audit(by, k.address, k.action)
		if err := change(e); err != nil {
			return err
		}
		return k.authorize(s.DB.Catalog(), e, verb)
	})
	if err != nil {
		return nil, k.withoutHints(s.DB.Catalog(), err)
	}
	k.written, k.quiet = c.Generation != before, c.Generation == before
	return c, nil
}

// withoutHints leaves out the near names of references for callers who may not
// see all records: they would tell of those that are hidden.
func (k *errand) withoutHints(c *store.Catalog, err error) error {
	var fault *store.Error
	if !errors.As(err, &fault) || k.access(c).Full() {
		return err
	}
	shown := *fault
	shown.Problems = slices.Clone(fault.Problems)
	for i := range shown.Problems {
		shown.Problems[i].Message, _, _ = strings.Cut(shown.Problems[i].Message, ": did you mean ")
	}
	if hidden := k.withoutHidden(c, &shown); hidden > 0 && fault.Code == store.CodeConflict {
		shown.Message = "others still need it, some of which you may not see: change or delete these first"
	}
	if fault.Message == summary(fault.Problems) {
		shown.Message = summary(shown.Problems)
	}
	return &shown
}

// withoutHidden takes records that the caller may not see out of the problems
// that name others than those that were sent, and counts them.
func (k *errand) withoutHidden(c *store.Catalog, fault *store.Error) (hidden int) {
	if fault.Code != store.CodeConflict && fault.Code != store.CodeSharedState {
		return 0
	}
	before := len(fault.Problems)
	fault.Problems = slices.DeleteFunc(fault.Problems, func(p store.Problem) bool {
		table := c.Of(p.Kind)
		if table == nil || p.Field != "" && fault.Code == store.CodeConflict {
			return false
		}
		rec := table.FindByName(p.Name)
		return rec != nil && !k.sees(c, rec)
	})
	return before - len(fault.Problems)
}

// authorize holds every change of an edit against the rights that the caller
// had before it.
func (k *errand) authorize(base *store.Catalog, e *store.Edit, as store.Verb) error {
	if k.caller != nil && (k.full || k.access(base).Full()) {
		return nil
	}
	w := &writing{errand: k, base: base, next: e.Catalog(), as: as}
	for _, change := range e.Changes() {
		if err := w.allow(change); err != nil {
			return err
		}
	}
	return nil
}

// writing is a change that is being held against the rights of its caller.
type writing struct {
	*errand
	base, next *store.Catalog
	as         store.Verb // in place of create, update and delete; "": those
}

func (w *writing) verb(usual store.Verb) store.Verb {
	if w.as != "" {
		return w.as
	}
	return usual
}

func (w *writing) allow(change store.Change) error {
	before, after := change.Before, change.After
	switch {
	case before == nil:
		if !w.mayMake(after) {
			return forbidden(string(w.verb(store.VerbCreate)), after.Kind().Plural())
		}
	case after == nil:
		if err := w.mayTouch(before, w.verb(store.VerbDelete)); err != nil {
			return err
		}
		return w.outranks(before)
	default:
		if err := w.mayUpdate(before, after); err != nil {
			return err
		}
		if err := w.outranks(before); err != nil {
			return err
		}
	}
	if _, isUser := after.(*store.User); before != nil || !isUser {
		if err := w.outranks(after); err != nil {
			return err
		}
	}
	return w.mayRefer(before, after)
}

// mayMake reports whether the caller may make the record. Its rights are those
// of before, its scopes those of after the change.
func (w *writing) mayMake(rec store.AnyRecord) bool {
	verb := w.verb(store.VerbCreate)
	if w.access(w.base).Allows(rec.Kind().Plural(), verb, scopesAround(w.next, rec)...) {
		return true
	}
	return w.mayOwn(w.base, rec, verb)
}

func (w *writing) mayTouch(rec store.AnyRecord, verb store.Verb) error {
	if w.mayRow(w.base, rec, verb) {
		return nil
	}
	if !w.sees(w.base, rec) {
		w.hidden = true
		return missing(rec.Kind())
	}
	return forbidden(string(verb), rec.Kind().Plural())
}

func (w *writing) mayUpdate(before, after store.AnyRecord) error {
	verb := w.verb(store.VerbUpdate)
	if err := w.mayTouch(before, verb); err != nil {
		return err
	}
	kind, access := after.Kind().Plural(), w.access(w.base)
	if !access.Allows(kind, verb, scopesFor(w.next, after, verb)...) && !w.mayOwn(w.base, after, verb) {
		return forbidden(string(verb), kind)
	}
	differing := store.Differences(before, after)
	for _, member := range differing {
		if setFromAbove(before, member) && !access.Allows(kind, verb, scopesAround(w.base, before)...) {
			return reserved(member)
		}
	}
	return w.mayRedirect(before, differing)
}

// setFromAbove reports whether a member of an organization, team or project is
// for those around it only: what it may spend, whether it is on, and where it
// is.
func setFromAbove(rec store.AnyRecord, member string) bool {
	if rec.Kind() == store.KindPolicyBinding || !governsItsScope(rec) {
		return false
	}
	return strings.HasPrefix(member, "spec.")
}

func reserved(member string) *Problem {
	p := denied("%s is set by whoever keeps what is around it", member)
	p.Errors = []store.Problem{{Field: member, Message: "is not yours to change"}}
	return p
}

// mayRedirect refuses to send stored keys elsewhere to whoever may not replace
// them.
func (w *writing) mayRedirect(before store.AnyRecord, differing []string) error {
	var moved bool
	switch rec := before.(type) {
	case *store.Host:
		moved = slices.ContainsFunc(differing, redirects) && hasStoredKey(w.base, rec)
	case *store.HostKey:
		moved = rec.Spec.Source.Kind == "stored" && slices.Contains(differing, "spec.hostId")
	}
	if !moved {
		return nil
	}
	if w.access(w.base).Allows(store.KindHostKey.Plural(), store.VerbRotate, store.System()) {
		return nil
	}
	return denied("a stored key would go elsewhere: that needs the verb rotate on host-keys")
}

// redirects reports whether a member of a host decides who gets its keys, and
// whether others can read along.
func redirects(member string) bool {
	for _, one := range []string{"spec.baseURL", "spec.proxyURL", "spec.tls", "spec.insecure", "spec.auth"} {
		if member == one || strings.HasPrefix(member, one+".") {
			return true
		}
	}
	return false
}

func hasStoredKey(c *store.Catalog, host *store.Host) bool {
	for key := range c.HostKeys.All() {
		if key.Spec.HostID == host.Metadata.ID && key.Spec.Source.Kind == "stored" {
			return true
		}
	}
	return false
}
