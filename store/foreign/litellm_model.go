package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readDeployment takes one entry of model_list over.
func (l *litellm) readDeployment(i int, value any) {
	entry, _ := value.(*object)
	name := entry.text("model_name")
	subject := "deployment " + cmp.Or(name, "model_list["+strconv.Itoa(i)+"]")
	params, about := entry.object("litellm_params"), entry.object("model_info")
	if name == "" || params == nil {
		l.report.add(Unsupported, subject, "has no model_name or no litellm_params")
		return
	}
	l.lend(subject, params)
	u, err := l.locate(params)
	if err != nil {
		l.report.add(Unsupported, subject, "%s%v", u.place(), err)
		return
	}
	d := deployment{subject: subject, upstream: u.model, endpoint: u.endpoint, key: u.key}
	var ok bool
	if d.model, ok = l.nameOf(subject, name, u); !ok {
		return
	}
	l.readHeaders(&d, params)
	l.readCaps(&d, entry, params, about)
	l.readParams(&d, params)
	l.readFacts(&d, params, about)
	l.deployments = append(l.deployments, placed{d, texts(about.take("access_groups"))})
	where := fmt.Sprintf("%s at %s", cmp.Or(u.model, "any model"), d.endpoint.base)
	if u.note != "" {
		l.report.add(Approximated, subject, "%s: %s", where, u.note)
	} else {
		l.report.add(Taken, subject, "%s", where)
	}
	if d.endpoint.caFree || unencrypted(d.endpoint) {
		l.report.add(Approximated, subject, "goes to %s without encryption or without a look at the certificate, as before", d.endpoint.base)
	}
	for _, o := range []*object{params, about, entry} {
		l.tellUnused(subject, o)
	}
}

// tellUnused tells of the members of a deployment that nothing was made of.
func (l *litellm) tellUnused(subject string, o *object) {
	for _, member := range o.rest() {
		why, known := whyNot(member)
		if !known {
			why = "Relay has no such setting of a deployment"
		}
		l.report.add(Unsupported, subject, "%s: %s", member, why)
	}
}

// lend puts what a named credential holds into the parameters.
func (l *litellm) lend(subject string, params *object) {
	name := params.text("litellm_credential_name")
	if name == "" {
		return
	}
	login := l.logins[name]
	if login == nil {
		l.report.add(Unsupported, subject, "litellm_credential_name: credential_list has none of this name")
		return
	}
	for _, member := range login.names {
		if !says(params.values[member]) {
			params.set(member, login.values[member])
		}
	}
}

// nameOf writes the name that callers ask for as Relay does.
func (l *litellm) nameOf(subject, name string, u upstream) (string, bool) {
	prefix, wild := wildcard(name)
	if !wild {
		written, ok := modelName(name)
		switch {
		case !ok || strings.Contains(u.model, "*"):
			l.report.add(Unsupported, subject, "cannot be the name of one model in Relay")
			return "", false
		case written != name:
			l.report.add(Approximated, subject, "is called %s: names of models have letters, digits and . _ - : / only", written)
		}
		return written, true
	}
	switch {
	case strings.Contains(prefix, "*"), !strings.HasSuffix(u.model, "*"):
		l.report.add(Unsupported, subject, "a star elsewhere than at the end of both names")
		return "", false
	case prefix == "":
		l.report.add(Approximated, subject, "any name goes to the one host that lists it")
	case !strings.HasSuffix(prefix, "/"), u.model != "*":
		l.report.add(Approximated, subject, "every name at that host is forwarded, not only those that begin so")
	}
	return name, true
}

func (l *litellm) readHeaders(d *deployment, params *object) {
	headers := map[string]string{}
	if extra := params.object("extra_headers"); extra != nil {
		for _, name := range extra.names {
			if value, missing := l.plain(extra.text(name)); missing == "" {
				headers[name] = value
			} else {
				l.report.add(Unsupported, d.subject, "extra_headers: %v", unset(name, missing))
			}
		}
	}
	if organization, _ := l.plain(params.text("organization")); organization != "" {
		headers["OpenAI-Organization"] = organization
	}
	if len(headers) == 0 && params.take("ssl_verify") == nil {
		return
	}
	changed := d.endpoint
	changed.headers, changed.shipped = headers, false
	changed.caFree = slices.Contains([]string{"false", "False"}, params.text("ssl_verify"))
	if err := changed.check(); err != nil {
		l.report.add(Unsupported, d.subject, "extra_headers: %v", err)
		return
	}
	if len(headers) > 0 || changed.caFree {
		d.endpoint = changed
	}
}

// readCaps reads weight, order, limits and budget, which stand in any of the
// three places in the wild.
func (l *litellm) readCaps(d *deployment, entry, params, about *object) {
	given := func(name string) (n float64) {
		for _, o := range []*object{about, entry, params} {
			if found, ok := o.number(name); ok {
				n = found
			}
		}
		return n
	}
	rpm, tpm := given("rpm"), given("tpm")
	d.rules = rulesOf(amount(rpm), amount(tpm), amount(given("max_parallel_requests")))
	d.order = int(min(max(given("order"), 0), 1e6))
	d.shares = [3]float64{given("weight"), rpm, tpm}
	if n := given("max_budget"); n > 0 {
		budget, note := budgetOf(n, params.text("budget_duration"))
		d.budget, l.budgeted = budget, true
		if note != "" {
			l.report.add(Approximated, d.subject, "%s", note)
		}
	}
}

func amount(n float64) int64 {
	if n < 1 || n > 1e15 {
		return 0
	}
	return int64(n)
}
