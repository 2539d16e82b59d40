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
	Model   string `json:"model,omitempty" doc:"Of an alias model: what it leads to there."`
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
	refused = cmp.Or(refused, gatesOf(r.policy).RefuseEndpoint(e.Endpoint))
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
		if e.model != nil {
			refused = cmp.Or(refused, perModel.Of(e.model).Refused)
		}
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
