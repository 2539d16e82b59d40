package foreign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"relay/store"
)

// litellm reads a configuration of the LiteLLM proxy, as
// https://docs.litellm.ai/docs/proxy/configs describes it.
type litellm struct {
	*builder
	root        *object
	fixed       map[string]string  // environment_variables of the configuration
	logins      map[string]*object // credential_list by name
	deployments []placed
	patterns    []pattern
	groups      map[string][]string // access groups: references to models
	org         string
	teams       map[string]*team
	orgs        map[string]string // by the name in LiteLLM
	hashes      map[string]bool   // of keys
}

// pattern is a wildcard and the host that answers it.
type pattern struct{ name, host string }

// LiteLLM reads a config.yaml of the LiteLLM proxy and, when keys is not nil, an
// export of its virtual keys: CSV or JSON, of the table
// LiteLLM_VerificationToken or of the view that joins teams to it.
func LiteLLM(config, keys io.Reader, o Options) (*Result, error) {
	root, err := readYAML(config)
	if err != nil {
		return nil, err
	}
	b, err := newBuilder("litellm", o)
	if err != nil {
		return nil, err
	}
	l := &litellm{builder: b, root: root, fixed: map[string]string{}, logins: map[string]*object{}, groups: map[string][]string{}, teams: map[string]*team{}, orgs: map[string]string{}, hashes: map[string]bool{}}
	var rows []*object
	if keys != nil {
		if rows, err = readRows(keys, "keys"); err != nil {
			return nil, fmt.Errorf("read the keys: %w", err)
		}
	}
	l.budgeted = l.hasBudgets(rows)
	if err := l.read(rows); err != nil {
		return nil, err
	}
	return l.result()
}

func (l *litellm) hasBudgets(rows []*object) bool {
	return slices.ContainsFunc(rows, func(row *object) bool {
		return says(row.values["max_budget"]) || says(row.values["team_max_budget"])
	})
}

func (l *litellm) read(rows []*object) error {
	l.readEnvironment()
	entries := l.root.list("model_list")
	if len(entries) == 0 {
		return errors.New("the configuration has no model_list: models that LiteLLM keeps in its database are not in the file; export them into one")
	}
	for i, entry := range entries {
		l.readDeployment(i, entry)
	}
	l.placeAll()
	if len(l.hosts) == 0 {
		return errors.New("no deployment of model_list can be taken over:\n" + l.reasons())
	}
	router, module, general := l.root.object("router_settings"), l.root.object("litellm_settings"), l.root.object("general_settings")
	if err := l.readRouting(router, module); err != nil {
		return err
	}
	budget := l.moduleBudget(module)
	l.finish()
	l.putPolicy(budget)
	l.org = l.addOrganization("litellm")
	l.readCallers(general, rows)
	l.tellRest("router_settings", router)
	l.tellRest("litellm_settings", module)
	l.tellRest("general_settings", general)
	l.tellRest("", l.root)
	return nil
}

// reasons lists why deployments were not taken over.
func (b *builder) reasons() string {
	var lines []string
	for _, row := range b.report.Rows() {
		if row.Outcome == Unsupported {
			lines = append(lines, row.What()+": "+row.Note)
		}
	}
	return strings.Join(lines, "\n")
}

func (l *litellm) readEnvironment() {
	variables := l.root.object("environment_variables")
	if variables != nil {
		for _, name := range variables.names {
			l.fixed[name] = variables.text(name)
			l.report.add(Approximated, "environment_variables "+name, "set it where Relay runs; values are not copied out of the configuration")
		}
	}
	for _, entry := range l.root.list("credential_list") {
		if login, ok := entry.(*object); ok {
			l.logins[login.text("credential_name")] = login.object("credential_values")
		}
	}
}

const envPrefix = "os.environ/"

// plain returns a text in which a reference to the environment has been
// followed. missing is the name of a variable that is not set.
func (l *litellm) plain(text string) (value, missing string) {
	name, refers := strings.CutPrefix(text, envPrefix)
	if !refers {
		return text, ""
	}
	if value, set := l.variable(name); set {
		return value, ""
	}
	if value := l.fixed[name]; value != "" && !strings.HasPrefix(value, envPrefix) {
		return value, ""
	}
	return "", name
}

// keyOf makes a credential of what stands in api_key. What servers without keys
// are given is none.
func keyOf(text string) credential {
	if name, refers := strings.CutPrefix(text, envPrefix); refers {
		return credential{env: name}
	}
	if slices.Contains([]string{"", "none", "empty", "dummy", "fake", "fake-key", "not-needed", "no-key", "null", "na", "n/a"}, strings.ToLower(text)) {
		return credential{}
	}
	return credential{value: store.NewSecret(text)}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// tellRest tells of the members of a section that nothing was made of.
func (l *litellm) tellRest(section string, o *object) {
	for _, name := range o.rest() {
		subject := "setting " + strings.TrimPrefix(section+"."+name, ".")
		why, known := whyNot(name)
		if !known {
			why = "Relay has no such setting"
		}
		l.report.add(Unsupported, subject, "%s", why)
	}
}
