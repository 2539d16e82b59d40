package foreign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"relay/store"
)

// channelType is what a number in channels.type stands for.
type channelType struct {
	host string // of the catalogue; "" where the base URL is given
	path string // that is put behind a base URL of its own
	why  string // it is not supported
}

// channelTypes are the numbers that one-api and new-api share. Sources:
// relay/channeltype/define.go of one-api, constant/channel.go of new-api.
func channelTypes(newer bool) map[string]channelType {
	common := map[string]channelType{
		"1": {host: "openai", path: "/v1"}, "3": {host: "azure"}, "8": {path: "/v1"},
		"14": {host: "anthropic", path: "/v1"}, "20": {host: "openrouter", path: "/v1"}, "24": {host: "google", path: "/v1beta"},
		"17": {host: "alibaba", path: "/compatible-mode/v1"}, "25": {host: "moonshot", path: "/v1"},
	}
	older := map[string]channelType{
		"27": {host: "minimax-openai", path: "/v1"}, "28": {host: "mistral", path: "/v1"}, "29": {host: "groq", path: "/v1"},
		"30": {host: "ollama"}, "35": {host: "cohere", path: "/compatibility/v1"}, "36": {host: "deepseek"},
		"39": {host: "together", path: "/v1"}, "33": {why: "signs with AWS access keys (SigV4)"},
		"42": {why: "signs in with a Google account"}, "43": {}, "44": {host: "xai", path: "/v1"}, "45": {host: "xai", path: "/v1"},
		"46": {path: "/v1"}, "50": {path: "/v1"},
	}
	if newer {
		older = map[string]channelType{
			"4": {host: "ollama"}, "26": {host: "zai", path: "/api/paas/v4"}, "27": {host: "perplexity"}, "34": {host: "cohere", path: "/compatibility/v1"},
			"35": {host: "minimax-openai", path: "/v1"}, "40": {path: "/v1"}, "42": {host: "mistral", path: "/v1"}, "43": {host: "deepseek"},
			"47": {host: "vllm", path: "/v1"}, "48": {host: "xai", path: "/v1"}, "33": {why: "signs with AWS access keys (SigV4)"},
			"41": {why: "signs in with a Google account"},
		}
	}
	maps.Copy(common, older)
	return common
}

// readChannel takes a channel over: a deployment for each of its models and keys.
func (a *oneAPI) readChannel(row *object) {
	name := cmp.Or(row.text("name"), "channel "+row.text("id"))
	subject := "channel " + name
	e, note, err := a.channelEndpoint(row)
	if err != nil {
		a.report.add(Unsupported, subject, "type %s: %v", cmp.Or(row.text("type"), "0"), err)
		return
	}
	models := words(row.text("models"), ",")
	keys := channelKeys(row)
	switch {
	case len(models) == 0:
		a.report.add(Unsupported, subject, "offers no model")
		return
	case len(keys) == 0 && e.auth != "none":
		a.report.add(Unsupported, subject, "the export does not have its key: lists of the API leave it out; take it from the database")
		return
	case len(keys) == 0:
		keys = []string{""}
	}
	mapping := channelMapping(row)
	d := deployment{subject: subject, endpoint: e, off: row.text("status") != "" && row.text("status") != "1", audience: a.audience(row)}
	a.readChannelCaps(&d, row, len(keys))
	for _, text := range models {
		model, ok := modelName(text)
		if !ok {
			a.report.add(Unsupported, subject, "a model that cannot be the name of one in Relay")
			continue
		}
		d.model, d.upstream = model, cmp.Or(mapping[text], text)
		for _, key := range keys {
			d.key = keyOf(strings.TrimSpace(key))
			a.place(d)
		}
	}
	a.tellChannel(subject, row, d, note, len(models), len(keys))
}

func (a *oneAPI) tellChannel(subject string, row *object, d deployment, note string, models, keys int) {
	outcome := Taken
	if note != "" {
		outcome = Approximated
	}
	if d.off {
		note = strings.TrimPrefix(note+"; its keys are switched off", "; ")
	}
	a.report.add(outcome, subject, "%s at %s, %s%s", counted(models, "model"), d.endpoint.base, counted(keys, "key"), strings.TrimSuffix("; "+note, "; "))
	for _, column := range []string{"id", "created_time", "test_time", "response_time", "balance", "balance_updated_time", "used_quota", "test_model", "channel_info", "other_info", "key", "remark"} {
		row.take(column)
	}
	for _, column := range row.rest() {
		a.report.add(Unsupported, subject, "%s: Relay has no such setting", column)
	}
}

// audience are the groups that a channel is for.
func (a *oneAPI) audience(row *object) []string {
	groups := words(cmp.Or(row.text("group"), "default"), ",")
	slices.Sort(groups)
	groups = slices.Compact(groups)
	for _, group := range groups {
		if !slices.Contains(a.groups, group) {
			a.groups = append(a.groups, group)
		}
	}
	return groups
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// readChannelCaps reads priority and weight. The keys of a channel share its weight.
func (a *oneAPI) readChannelCaps(d *deployment, row *object, keys int) {
	priority, _ := row.number("priority")
	d.order = int(a.topOrder - int64(min(max(priority, -1e5), 1e5)))
	weight, _ := row.number("weight")
	if !a.newer {
		return // one-api draws among channels of one priority without looking at weights
	}
	d.weight = int(min(max(weight/float64(keys), 1), 1e6))
	if weight <= 0 {
		d.weight = 0
	}
}

func (a *oneAPI) channelEndpoint(row *object) (e endpoint, note string, err error) {
	kind, known := channelTypes(a.newer)[row.text("type")]
	base := strings.TrimRight(row.text("base_url"), "/")
	switch {
	case kind.why != "":
		return e, "", errors.New(kind.why + ", which Relay does not")
	case !known && base == "":
		return e, "", errors.New("no provider that Relay has a shape for, and no base URL is given")
	case kind.host == "azure":
		return a.azureChannel(row, base)
	}
	e, found := a.ofCatalogue(cmp.Or(kind.host, "openai"))
	if !found {
		return e, "", fmt.Errorf("the catalogue has no host %s", kind.host)
	}
	if base == "" && kind.host == "" {
		return e, "", errors.New("no base URL is given")
	}
	if e.auth == "none" && len(channelKeys(row)) > 0 {
		e.auth = "bearer"
	}
	if base == "" || sameURL(e.base, base) || root(base) == root(e.base) && base == root(base) {
		e.shipped = true
		return e, "", nil
	}
	if !known {
		kind.path, note = "/v1", "taken as a server that speaks OpenAI's shape"
	}
	if e.host == "openai" {
		e.shapes = []store.Shape{store.ShapeOpenAI}
	}
	moved, err := a.at(e, withPath(base, kind.path))
	return moved, note, err
}

func (a *oneAPI) azureChannel(row *object, base string) (endpoint, string, error) {
	if base == "" {
		return endpoint{}, "", errors.New("no base URL is given: the endpoint of the Azure resource")
	}
	e, _ := a.ofCatalogue("azure")
	row.take("other")
	moved, err := a.at(e, root(base)+"/openai/v1")
	return moved, "Azure's API of version 1 is called, which takes no api-version", err
}

// channelKeys returns the keys of a channel: one a line where it has several.
func channelKeys(row *object) []string {
	var keys []string
	text, _ := row.take("key").(string)
	for key := range strings.Lines(text) {
		if key = strings.TrimSpace(key); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// channelMapping returns what the upstream calls the models of a channel.
func channelMapping(row *object) map[string]string {
	mapping := map[string]string{}
	switch value := row.take("model_mapping").(type) {
	case string:
		_ = json.Unmarshal([]byte(value), &mapping) // empty, or none of its texts is a name
	case *object:
		for _, name := range value.names {
			mapping[name] = value.text(name)
		}
	}
	return mapping
}
