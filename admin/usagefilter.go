package admin

import (
	"cmp"
	"strconv"
	"time"

	"relay/store"
)

// UsageFilter selects usage events. Records are given by name or id.
type UsageFilter struct {
	Since        string `query:"since" doc:"A time (RFC 3339), or how long ago: 24h, 7d."`
	Until        string `query:"until" doc:"Likewise; events before it."`
	Status       string `query:"status" enum:"2xx,3xx,4xx,5xx" doc:"The class of the HTTP status."`
	Model        string `query:"model"`
	Host         string `query:"host"`
	HostKey      string `query:"host_key"`
	Organization string `query:"organization"`
	Team         string `query:"team"`
	Project      string `query:"project"`
	Principal    string `query:"principal" doc:"A service account or a user."`
	Credential   string `query:"credential" doc:"A relay key."`
	User         string `query:"user" doc:"The end user that the caller named."`
	RequestID    string `query:"request_id"`
	ErrorKind    string `query:"error_kind"`
}

func (s *server) usageQuery(c *store.Catalog, in *UsageFilter) (store.EventQuery, error) {
	q := store.EventQuery{
		Model:        idOf(c, store.KindModel, in.Model),
		Host:         idOf(c, store.KindHost, in.Host),
		HostKey:      idOf(c, store.KindHostKey, in.HostKey),
		Organization: idOf(c, store.KindOrganization, in.Organization),
		Team:         idOf(c, store.KindTeam, in.Team),
		Project:      idOf(c, store.KindProject, in.Project),
		Principal:    principalOf(c, in.Principal),
		Credential:   idOf(c, store.KindRelayKey, in.Credential),
		User:         in.User,
		RequestID:    in.RequestID,
		ErrorKind:    in.ErrorKind,
	}
	if in.Status != "" {
		q.StatusClass, _ = strconv.Atoi(in.Status[:1]) // one of 2xx to 5xx
	}
	var err error
	if q.Since, err = s.moment("query.since", in.Since); err != nil {
		return q, err
	}
	q.Until, err = s.moment("query.until", in.Until)
	return q, err
}

// principalOf returns the id of a service account or, when there is none, of a
// user.
func principalOf(c *store.Catalog, ref string) string {
	if id := idOf(c, store.KindServiceAccount, ref); id != ref {
		return id
	}
	return idOf(c, store.KindUser, ref)
}

// idOf returns the id of what ref names, or ref itself: events of records that
// are gone keep their ids, and unknown models their names.
func idOf(c *store.Catalog, kind store.Kind, ref string) string {
	if rec, err := find(c, kind, ref); ref != "" && err == nil {
		return rec.Meta().ID
	}
	return ref
}

// moment reads a time, or how long ago it was.
func (s *server) moment(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	ago, err := store.ParseDuration(text)
	if err != nil || ago < 0 {
		return time.Time{}, invalid(store.Problem{Field: field, Message: "must be a time such as 2026-11-30T12:00:00Z, or how long ago, such as 24h or 7d"})
	}
	return s.Now().Add(-ago), nil
}

func namedEvent(c *store.Catalog, e store.Event) UsageEvent {
	return UsageEvent{
		Event:          e,
		ModelName:      nameOf(c, store.KindModel, e.Model),
		HostName:       nameOf(c, store.KindHost, e.Host),
		HostKeyName:    nameOf(c, store.KindHostKey, e.HostKey),
		ProjectName:    nameOf(c, store.KindProject, e.Project),
		PrincipalName:  nameOf(c, e.Principal.Kind, e.Principal.ID),
		CredentialName: nameOf(c, e.Credential.Kind, e.Credential.ID),
	}
}

// nameOf returns "" for what is no record, or not any more.
func nameOf(c *store.Catalog, kind store.Kind, id string) string {
	if table := c.Of(kind); table != nil {
		if rec := table.Find(id); rec != nil {
			return rec.Meta().Name
		}
	}
	return ""
}

func groupName(c *store.Catalog, by, group string) string {
	switch by {
	case "":
		return ""
	case "key":
		return cmp.Or(nameOf(c, store.KindRelayKey, group), nameOf(c, store.KindServiceAccount, group))
	case "user", "principal":
		return cmp.Or(nameOf(c, store.KindServiceAccount, group), nameOf(c, store.KindUser, group))
	case "host_key":
		return nameOf(c, store.KindHostKey, group)
	}
	return nameOf(c, store.Kind(by), group)
}
