package plan

import (
	"cmp"
	"slices"
	"strings"

	"relay/store"
)

// RungVerdict is what one rung of the ladder says to the request. A rung can
// only narrow, so one that refuses is enough.
type RungVerdict struct {
	Rung    string        `json:"rung" enum:"organization,team,project,principal,key"`
	Record  RecordName    `json:"record"`
	Policy  *RecordName   `json:"policy,omitempty" doc:"The policy that is bound to it."`
	Verdict string        `json:"verdict" enum:"allows,narrows,refuses,silent" doc:"narrows: allows the model on some of its hosts; silent: has nothing to say but its limits."`
	Code    string        `json:"code,omitempty" doc:"Of the refusal that it alone would lead to."`
	Reason  string        `json:"reason"`
	Hosts   []HostVerdict `json:"hosts,omitempty" doc:"For each host that serves the model."`
}

// HostVerdict is what a rung says to the model on one host.
type HostVerdict struct {
	ID      string `json:"id"`
	Host    string `json:"host"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty" doc:"Why not."`
}

func (e *explainer) rungs() []RungVerdict {
	out := []RungVerdict{}
	for _, r := range e.ladder.rungs {
		out = append(out, e.rung(r))
	}
	if e.KeyID != "" {
		out = append(out, e.keyRung())
	}
	return out
}

// saying is what a policy or the caps of a key say to requests.
type saying struct {
	owner     string // "policy chat"
	grant     grant
	denied    []string // names of the references that deny
	endpoints []string
	refused   *Refused // all that it governs
}

func (e *explainer) rung(r rung) RungVerdict {
	v := RungVerdict{Rung: r.scope.String(), Record: RecordName{r.kind, r.id, r.name}}
	refused := e.refusedOn(e.alone(r))
	if r.policy == nil {
		v.Verdict, v.Reason = "silent", "no policy is bound to it"
		v.refuse(refused)
		return v
	}
	policy := nameOf(r.policy)
	v.Policy = &policy
	e.judgeSaying(&v, saying{
		owner: "policy " + policy.Name, grant: e.grantOf(r.policy), denied: e.namesIn(r.policy, "spec.denyNames"),
		endpoints: r.policy.Spec.Endpoints, refused: refused,
	})
	return v
}

// refusedOn returns why nothing passes the rung, or nothing for the model.
func (e *explainer) refusedOn(only *Caller) *Refused {
	refused := only.Refused
	for _, perModel := range only.ModelLimits {
		refused = cmp.Or(refused, perModel[e.model].Refused)
	}
	return refused
}

func (e *explainer) keyRung() RungVerdict {
	key := e.ladder.key
	v := RungVerdict{Rung: "key", Record: nameOf(key), Verdict: "silent", Reason: "it narrows neither models nor endpoints"}
	refused := e.caller.RefuseOver(e.Now)
	if refused == nil {
		refused = e.keyAlone().Refused
	}
	if refused == nil && len(key.Spec.Models)+len(key.Spec.Deny)+len(key.Spec.Endpoints) == 0 {
		return v
	}
	e.judgeSaying(&v, saying{
		owner: "key " + key.Metadata.Name, grant: e.newGrant(key.Spec.Models, key.Spec.Deny, true), denied: e.namesIn(key, "spec.denyNames"),
		endpoints: key.Spec.Endpoints, refused: refused,
	})
	return v
}

// namesIn returns the names that the references of a list stand for.
func (c *compiler) namesIn(rec store.AnyRecord, member string) []string {
	names, _ := store.NamesOf(c.catalog, rec)[member].([]string)
	return names
}

func (v *RungVerdict) refuse(r *Refused) {
	if r != nil {
		v.Verdict, v.Code, v.Reason = "refuses", r.Code, r.Message
	}
}

func (e *explainer) judgeSaying(v *RungVerdict, s saying) {
	switch {
	case s.refused != nil:
		v.refuse(s.refused)
	case len(s.endpoints) > 0 && !slices.Contains(s.endpoints, e.Endpoint):
		v.Verdict, v.Code = "refuses", "endpoint_not_allowed"
		v.Reason = s.owner + " allows only the endpoints " + strings.Join(s.endpoints, ", ")
	case e.model == nil:
		v.Verdict, v.Reason = "silent", "there is no such model"
	default:
		e.judgeHosts(v, s)
	}
}

// judgeHosts looks at each host of the model.
func (e *explainer) judgeHosts(v *RungVerdict, s saying) {
	var reasons []string
	allowed := 0
	for _, host := range e.hostsOfModel() {
		verdict := HostVerdict{ID: host.Record.Metadata.ID, Host: host.Name()}
		verdict.Reason = e.denial(s, host)
		if verdict.Allowed = verdict.Reason == ""; verdict.Allowed {
			allowed++
		} else if !slices.Contains(reasons, verdict.Reason) {
			reasons = append(reasons, verdict.Reason)
		}
		if host != nowhere {
			v.Hosts = append(v.Hosts, verdict)
		}
	}
	v.Reason = strings.Join(reasons, "; ")
	switch {
	case allowed == 0:
		v.Verdict, v.Code = "refuses", "model_not_allowed"
	case len(reasons) > 0:
		v.Verdict = "narrows"
	default:
		v.Verdict, v.Reason = "allows", s.owner+" grants "+e.model.Name
		if s.grant.all {
			v.Reason = s.owner + " grants every model"
		}
	}
}

// hostsOfModel returns the hosts that serve the model; nowhere when none does.
func (e *explainer) hostsOfModel() []*Host {
	var hosts []*Host
	for _, b := range e.model.Bindings {
		hosts = append(hosts, b.Host)
	}
	if hosts == nil {
		hosts = append(hosts, nowhere)
	}
	return hosts
}

// denial says why the grant does not hold for the model on the host; "" when it
// does.
func (e *explainer) denial(s saying, host *Host) string {
	for i, ref := range s.grant.deny {
		if matches(ref, e.model, e.providerID, host) {
			return s.owner + " denies " + s.denied[i]
		}
	}
	switch {
	case s.grant.allows(e.model, e.providerID, host):
		return ""
	case slices.ContainsFunc(e.hostsOfModel(), func(other *Host) bool { return s.grant.allows(e.model, e.providerID, other) }):
		return s.owner + " grants " + e.model.Name + " on other hosts than " + host.Name()
	}
	return e.model.Name + " is not among the models of " + s.owner
}
