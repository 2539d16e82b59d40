package store_test

import (
	"strings"
	"testing"

	"relay/store"
)

type refusal struct {
	record string
	want   []string // "field part-of-message", in order; none: the record is right
}

func runRefusals(t *testing.T, cases []refusal) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.record, func(t *testing.T) {
			wantProblems(t, store.Validate(recordOf(t, c.record)), c.want...)
		})
	}
}

func w(texts ...string) []string { return texts }

func TestValidate_ChecksTheEnvelope(t *testing.T) {
	long := strings.Repeat("a", 64)
	runRefusals(t, []refusal{
		{`provider acme {}`, nil},
		{`provider ` + long[:63] + ` {}`, nil},
		{`provider ` + long + ` {}`, w("metadata.name 1 to 63")},
		{`provider Acme {}`, w("metadata.name lower-case")},
		{`provider -a {}`, w("metadata.name lower-case")},
		{`provider {"spec":{}}`, w("metadata.name must not be empty")},
		{`provider 0192f0c4-7b1a-7def-8123-456789abcdef {}`, w("metadata.name form of an id")},
		{`provider {"metadata":{"name":"a","id":"7"}}`, w("metadata.id UUID")},
		{`provider {"metadata":{"name":"a","displayName":"two\nlines"}}`, w("metadata.displayName one line")},
		{`provider {"metadata":{"name":"a","displayName":"` + strings.Repeat("x", 201) + `"}}`, w("metadata.displayName 200 bytes")},
		{`provider {"metadata":{"name":"a","description":"two\nlines"}}`, nil},
		{`provider {"metadata":{"name":"a","description":"\u0007"}}`, w("metadata.description control")},
		{`provider {"metadata":{"name":"a","description":"` + strings.Repeat("x", 4097) + `"}}`, w("metadata.description 4 KiB")},
		{`provider {"metadata":{"name":"a","labels":{"team/x":"blue"}}}`, nil},
		{`provider {"metadata":{"name":"a","labels":{"a=b":"c"}}}`, w("metadata.labels.a=b key")},
		{`provider {"metadata":{"name":"a","annotations":{"k":"\u0001"}}}`, w("metadata.annotations.k control")},
		{`provider {"metadata":{"name":"a","owner":{"kind":"system"}}}`, nil},
		{`provider {"metadata":{"name":"a","owner":{"kind":"system","id":"x"}}}`, w("metadata.owner.id left out")},
		{`provider {"metadata":{"name":"a","owner":{"kind":"pope","id":"x"}}}`, w("metadata.owner.kind must be system or")},
		{`provider {"metadata":{"name":"a","owner":{"kind":"host"}}}`, w("metadata.owner.id must name a host")},
	})
}

func TestValidate_LimitsTheNumberOfLabels(t *testing.T) {
	rec := &store.Provider{}
	rec.Metadata.Name, rec.Metadata.Labels = "a", map[string]string{}
	for i := range 65 {
		rec.Metadata.Labels[strings.Repeat("k", i+1)] = "v"
	}
	wantProblems(t, store.Validate(rec), "metadata.labels at most 64")
}

func TestValidate_TakesModelNamesAsModelsHaveThem(t *testing.T) {
	runRefusals(t, []refusal{
		{`model gpt-4.1-mini {}`, nil},
		{`model hf.co/acme/tiny-gguf:Q4_K_M {}`, nil},
		{`model lab/coder:7b {}`, nil},
		{`model a@b {}`, w("metadata.name @")},
		{`model /a {}`, w("metadata.name slash")},
		{`model a/ {}`, w("metadata.name slash")},
		{`model a//b {}`, w("metadata.name slash")},
		{`model a/../b {}`, w("metadata.name . or ..")},
		{`model {"metadata":{"name":"a b"}}`, w("metadata.name letters")},
		{`model é {}`, w("metadata.name letters")},
		{`model ` + strings.Repeat("a", 200) + ` {}`, nil},
		{`model ` + strings.Repeat("a", 201) + ` {}`, w("metadata.name 200")},
	})
}

func TestValidate_ChecksProviders(t *testing.T) {
	runRefusals(t, []refusal{
		{`provider a {"homepageURL":"https://a.example","docsURL":"http://a.example/docs","icon":"a"}`, nil},
		{`provider a {"homepageURL":"javascript:alert(1)"}`, w("spec.homepageURL http://")},
		{`provider a {"docsURL":"https://u:p@a.example"}`, w("spec.docsURL without credentials")},
		{`provider a {"icon":"\u0000"}`, w("spec.icon control")},
	})
}

func TestValidate_ChecksHosts(t *testing.T) {
	runRefusals(t, []refusal{
		{`host a {"baseURL":"https://api.openai.com/v1","auth":"bearer","shapes":["openai","openai_responses"],"headers":{"OpenAI-Project":"p"},"unknownModels":"forward","drainOnDisconnect":"2s","timeouts":{"connect":"5s","header":"0","idle":"1m"},"tls":{"caFile":"/ca.pem"},"proxyURL":"http://proxy:3128"}`, nil},
		{`host a {"baseURL":"https://{resource}.openai.azure.com/openai/v1","auth":"header:api-key"}`, nil},
		{`host a {}`, w("spec.baseURL must be given", "spec.auth must be one of bearer")},
		{`host a {"auth":"none"}`, w("spec.baseURL must be given")},
		{`host a {"auth":"none","baseURL":"api.openai.com/v1"}`, w("spec.baseURL http:// or https://")},
		{`host a {"auth":"none","baseURL":"ftp://a.example"}`, w("spec.baseURL http:// or https://")},
		{`host a {"auth":"none","baseURL":"https://"}`, w("spec.baseURL with a host")},
		{`host a {"auth":"none","baseURL":"https://user:hunter2@a.example"}`, w("spec.baseURL user name or password")},
		{`host a {"auth":"none","baseURL":"https://a.example/v1?key=1"}`, w("spec.baseURL query")},
		{`host a {"auth":"none","baseURL":"https://a.example/v1?"}`, w("spec.baseURL query")},
		{`host a {"auth":"none","baseURL":"https://a.example/v1#x"}`, w("spec.baseURL fragment")},
		{`host a {"auth":"none","baseURL":"https://a.example:70000"}`, w("spec.baseURL port")},
		{`host a {"auth":"none","baseURL":"https://a.example/v1/"}`, w("spec.baseURL written as https://a.example/v1")},
		{`host a {"auth":"none","baseURL":"https://a.example/v1/chat/completions"}`, w("spec.baseURL written as https://a.example/v1")},
		{`host a {"baseURL":"https://a.example","auth":"token"}`, w("spec.auth must be one of bearer")},
		{`host a {"baseURL":"https://a.example","auth":"header:"}`, w("spec.auth valid header")},
		{`host a {"baseURL":"https://a.example","auth":"header:Host"}`, w("spec.auth must not name Host")},
		{`host a {"baseURL":"https://a.example","auth":"none","shapes":["openai","soap","openai"]}`, w("spec.shapes[1] must be one of openai", "spec.shapes[2] twice")},
		{`host a {"baseURL":"https://a.example","auth":"none","unknownModels":"maybe"}`, w("spec.unknownModels forward, refuse")},
		{`host a {"baseURL":"https://a.example","auth":"none","drainOnDisconnect":"-1s","timeouts":{"idle":"-2s"}}`, w("spec.drainOnDisconnect negative", "spec.timeouts.idle negative")},
		{`host a {"baseURL":"https://a.example","auth":"none","tls":{"caFile":"a\nb"}}`, w("spec.tls.caFile control")},
	})
}

func TestValidate_RefusesCredentialsAndFramingInHostHeaders(t *testing.T) {
	host := func(headers string) string {
		return `host a {"baseURL":"https://a.example","auth":"header:X-Token","headers":{` + headers + `}}`
	}
	runRefusals(t, []refusal{
		{host(`"anthropic-version":"2023-06-01"`), nil},
		{host(`"Authorization":"x"`), w("spec.headers.Authorization credential")},
		{host(`"x-api-key":"x"`), w("spec.headers.x-api-key credential")},
		{host(`"Cookie":"x"`), w("spec.headers.Cookie credential")},
		{host(`"x-token":"x"`), w("spec.headers.x-token credential")},
		{host(`"Content-Length":"1"`), w("spec.headers.Content-Length Relay writes it")},
		{host(`"X-Line":"a\r\nb"`), w("spec.headers.X-Line control")},
		{host(`"X-Long":"` + strings.Repeat("x", 5000) + `"`), w("spec.headers.X-Long 4 KiB")},
		{host(`"X-A":"1","x-a":"2"`), w("spec.headers.x-a twice")},
		{host(`"é":"1"`), w("spec.headers.é valid header name")},
	})
}

func TestValidate_NeverRepeatsASecret(t *testing.T) {
	for _, text := range []string{
		`host a {"baseURL":"https://user:hunter2@a.example","auth":"none","proxyURL":"http://user:hunter2@p"}`,
		`host a {"baseURL":"https://a.example","auth":"none","headers":{"Authorization":"hunter2","X":"hunter2\n"}}`,
		`host-key a {"hostId":"h","source":{"kind":"stored"},"value":"sk-wr-hunter2"}`,
		`host-key a {"hostId":"h","source":{"kind":"env","env":"E"},"value":"hunter2"}`,
		`host-key a {"hostId":"h","source":{"kind":"stored"},"value":"hunter2 hunter2"}`,
	} {
		problems := store.Validate(recordOf(t, text))
		if len(problems) == 0 {
			t.Errorf("%s: no problem", text)
		}
		for _, p := range problems {
			if strings.Contains(p.String(), "hunter2") {
				t.Errorf("%s: repeated in %q", text, p)
			}
		}
	}
}

func TestValidate_RefusesAKeyOverPlainHTTPToAPublicAddress(t *testing.T) {
	host := func(base, more string) string { return `host a {"baseURL":"` + base + `",` + more + `}` }
	plain := w("spec.baseURL unencrypted")
	runRefusals(t, []refusal{
		{host("http://api.example.com/v1", `"auth":"bearer"`), plain},
		{host("http://8.8.8.8", `"auth":"x-api-key"`), plain},
		{host("http://[2001:4860::8888]", `"auth":"bearer"`), plain},
		{host("http://api.example.com/v1", `"auth":"bearer","insecure":true`), nil},
		{host("http://api.example.com/v1", `"auth":"none"`), nil},
		{host("http://127.0.0.1:9100/v1", `"auth":"bearer"`), nil},
		{host("http://192.168.1.20:8000", `"auth":"bearer"`), nil},
		{host("http://[fd12::1]:8000", `"auth":"bearer"`), nil},
		{host("http://localhost:8000", `"auth":"bearer"`), nil},
		{host("http://vllm:8000", `"auth":"bearer"`), nil},
		{host("http://host.docker.internal:11434", `"auth":"bearer"`), nil},
	})
}

func TestValidate_RefusesAddressesThatNoUpstreamHas(t *testing.T) {
	for base, why := range map[string]string{
		"http://169.254.169.254/latest":     "link-local",
		"http://[fe80::1]":                  "link-local",
		"http://[::ffff:169.254.169.254]":   "link-local",
		"http://[64:ff9b::a9fe:a9fe]":       "link-local",
		"http://[2002:a9fe:a9fe::1]":        "link-local",
		"http://[::a9fe:a9fe]":              "link-local",
		"http://100.100.100.200":            "metadata",
		"http://[fd00:ec2::254]":            "metadata",
		"http://metadata.google.internal":   "metadata",
		"http://metadata.google.internal.":  "metadata",
		"http://0.0.0.0:11434":              "no address",
		"http://0.1.2.3":                    "no address",
		"http://[::]:11434":                 "no address",
		"http://224.0.0.1":                  "multicast",
		"http://[ff02::1]":                  "multicast",
		"http://255.255.255.255":            "broadcast",
		"http://2852039166":                 "usual form",
		"http://0x7f.1":                     "usual form",
		"http://0251.0376.0251.0376":        "usual form",
		"http://10.0.0.1.":                  "",
		"https://api.openai.com/v1":         "",
		"http://[::1]:11434":                "",
		"http://[2001:db8::1]:11434/openai": "",
	} {
		got := store.Validate(recordOf(t, `host a {"auth":"none","baseURL":"`+base+`"}`))
		if why == "" {
			wantProblems(t, got)
			continue
		}
		wantProblems(t, got, "spec.baseURL "+why)
		proxied := recordOf(t, `host a {"auth":"none","baseURL":"https://a.example","proxyURL":"`+base+`"}`)
		wantProblems(t, store.Validate(proxied), "spec.proxyURL "+why)
	}
}

func TestValidate_ChecksProxies(t *testing.T) {
	host := func(proxy string) string {
		return `host a {"baseURL":"https://a.example","auth":"none","proxyURL":"` + proxy + `"}`
	}
	runRefusals(t, []refusal{
		{host("socks5://127.0.0.1:1080"), nil},
		{host("proxy:3128"), w("spec.proxyURL URL such as")},
		{host("ftp://proxy"), w("spec.proxyURL URL such as")},
		{host("http://u:p@proxy:3128"), w("spec.proxyURL user name")},
		{host("http://proxy:99999"), w("spec.proxyURL port")},
	})
}

func TestValidate_ChecksModels(t *testing.T) {
	runRefusals(t, []refusal{
		{`model m {"providerId":"p","aliases":["x","m-*","lab/*","*"],"fallbacks":[{"modelId":"a","weight":3},{"modelId":"b"}],"capabilities":{"chat":true},"contextWindow":1,"maxOutputTokens":1,"releaseDate":"2026-01-31","deprecation":{"status":"sunset","sunsetDate":"2026-02-01","replacement":"lab/n"},"tags":["fast"],"limits":{"rps":1,"rpm":1,"rph":1,"rpd":1,"tpm":1,"tpd":1,"concurrency":1,"charge":"reserve","atCap":"refuse","onOutage":"allow"}}`, nil},
		{`model m {"aliases":["","a*b","*x*","a@b*","M","x","X"]}`, w("spec.aliases[0] empty", "spec.aliases[1] one *", "spec.aliases[2] one *", "spec.aliases[3] @", "spec.aliases[4] own name", "spec.aliases[6] twice")},
		{`model m {"fallbacks":[{"modelId":""}]}`, w("spec.fallbacks[0].modelId must name a model")},
		{`model m {"fallbacks":[{"modelId":"M"},{"modelId":"a","weight":0},{"modelId":"A"}]}`, w("spec.fallbacks[0].modelId another", "spec.fallbacks[1].weight between 1", "spec.fallbacks[2].modelId twice")},
		{`model m {"fallbacks":[{"modelId":"a"},{"modelId":"b"},{"modelId":"c"},{"modelId":"d"},{"modelId":"e"},{"modelId":"f"}]}`, w("spec.fallbacks at most 5")},
		{`model m {"capabilities":{"telepathy":true}}`, w("spec.capabilities.telepathy not a capability")},
		{`model m {"contextWindow":-1,"maxOutputTokens":9007199254740992}`, w("spec.contextWindow between 0", "spec.maxOutputTokens between 0")},
		{`model m {"releaseDate":"2026-13-01"}`, w("spec.releaseDate date")},
		{`model m {"deprecation":{}}`, w("spec.deprecation.status active, deprecated, sunset")},
		{`model m {"deprecation":{"status":"gone","sunsetDate":"soon","replacement":"a@b"}}`, w("spec.deprecation.status active", "spec.deprecation.sunsetDate date", "spec.deprecation.replacement @")},
		{`model m {"tags":["","a","A","b\n"]}`, w("spec.tags[0] empty", "spec.tags[3] one line", "spec.tags[2] twice")},
	})
}

func TestValidate_LimitsTheLengthOfLists(t *testing.T) {
	list := func(n int, element string) string {
		return "[" + strings.Join(strings.Split(strings.Repeat(element+" ", n), " ")[:n], ",") + "]"
	}
	cases := map[string]string{
		`model m {"aliases":` + list(101, `"x"`) + `}`:                   "spec.aliases",
		`model m {"tags":` + list(65, `"x"`) + `}`:                       "spec.tags",
		`host-binding b {"params":{"drop":` + list(65, `"x"`) + `}}`:     "spec.params.drop",
		`pricing p {"currency":"USD","rates":` + list(201, `{}`) + `}`:   "spec.rates",
		`policy p {"models":` + list(1001, `"x"`) + `}`:                  "spec.models",
		`policy p {"pools":` + list(51, `{}`) + `}`:                      "spec.pools",
		`policy p {"pools":[{"hostKeyIds":` + list(1001, `"x"`) + `}]}`:  "spec.pools[0].hostKeyIds",
		`rate-limit r {"rules":` + list(33, `{}`) + `}`:                  "spec.rules",
		`relay-key k {"allowedCIDRs":` + list(257, `"10.0.0.0/8"`) + `}`: "spec.allowedCIDRs",
	}
	for text, field := range cases {
		found := false
		for _, p := range store.Validate(recordOf(t, text)) {
			found = found || p.Field == field && strings.Contains(p.Message, "must be at most")
		}
		if !found {
			t.Errorf("%s is not limited", field)
		}
	}
}

func TestValidate_RefusesShorthandsThatAreNotAboveZero(t *testing.T) {
	for _, kind := range []string{`model m {"limits":%}`, `organization o {"limits":%}`, `team t {"organizationId":"o","limits":%}`,
		`project p {"teamId":"t","limits":%}`, `service-account s {"projectId":"p","limits":%}`} {
		text := strings.Replace(kind, "%", `{"rps":0,"rpm":-1,"rph":0,"rpd":0,"tpm":0,"tpd":0,"concurrency":9007199254740992,"charge":"x","atCap":"x","onOutage":"x"}`, 1)
		wantProblems(t, store.Validate(recordOf(t, text)),
			"spec.limits.charge actual, reserve", "spec.limits.atCap admit, refuse", "spec.limits.onOutage local, refuse, allow",
			"spec.limits.rps above 0", "spec.limits.rpm above 0", "spec.limits.rph above 0", "spec.limits.rpd above 0",
			"spec.limits.tpm above 0", "spec.limits.tpd above 0", "spec.limits.concurrency at most")
	}
}

func TestValidate_ChecksHostBindings(t *testing.T) {
	binding := func(more string) string { return `host-binding b {"modelId":"m","hostId":"h"` + more + `}` }
	runRefusals(t, []refusal{
		{binding(`,"shapes":["anthropic"],"upstreamName":"@cf/meta/llama-3","pricingId":"p","params":{"drop":["seed"],"rename":{"max_tokens":"max_completion_tokens"},"defaults":{"temperature":0.5},"refuse":["n"]},"promptCache":"auto","priority":1,"weight":5`), nil},
		{`host-binding b {}`, w("spec.modelId must name a model", "spec.hostId must name a host")},
		{binding(`,"shapes":["soap"]`), w("spec.shapes[0] must be one of")},
		{binding(`,"upstreamName":"a b"`), w("spec.upstreamName without blanks")},
		{binding(`,"promptCache":"on"`), w("spec.promptCache off, auto")},
		{binding(`,"priority":-1,"weight":0`), w("spec.priority between 0", "spec.weight between 1")},
		{binding(`,"params":{"drop":["a b","model"],"refuse":["stream"]}`), w("spec.params.drop[0] name of a request member", "spec.params.drop[1] must not be model", "spec.params.refuse[0] must not be stream")},
		{binding(`,"params":{"drop":["n"],"refuse":["n"]}`), w("spec.params.refuse[0] dropped as well")},
		{binding(`,"params":{"drop":["n","n"]}`), w("spec.params.drop[1] twice")},
		{binding(`,"params":{"rename":{"a":"model"},"defaults":{"model":1}}`), w("spec.params.rename.a must not be model", "spec.params.defaults.model must not be model")},
	})
}

func TestValidate_RefusesBindingDefaultsThatAreNoJSON(t *testing.T) {
	rec := recordOf(t, `host-binding b {"modelId":"m","hostId":"h","params":{"defaults":{"a":1}}}`).(*store.HostBinding)
	rec.Spec.Params.Defaults["a"] = []byte("{")
	wantProblems(t, store.Validate(rec), "spec.params.defaults.a JSON value")
}

func TestValidate_ChecksHostKeysAndAccounts(t *testing.T) {
	key := func(more string) string { return `host-key k {"hostId":"h"` + more + `}` }
	runRefusals(t, []refusal{
		{`host-account a {"hostId":"h"}`, nil},
		{`host-account a {}`, w("spec.hostId must name a host")},
		{key(`,"source":{"kind":"stored"},"value":"sk-provider"`), nil},
		{key(`,"source":{"kind":"stored"},"valueHash":"0123456789ab"`), nil},
		{key(`,"source":{"kind":"env","env":"OPENAI_API_KEY"}`), nil},
		{key(`,"source":{"kind":"file","path":"/run/secrets/key"}`), nil},
		{`host-key k {"source":{"kind":"env","env":"E"}}`, w("spec.hostId must name a host")},
		{key(``), w("spec.source.kind stored, env, file")},
		{key(`,"source":{"kind":"vault"}`), w("spec.source.kind stored, env, file")},
		{key(`,"source":{"kind":"stored"}`), w("spec.value must be given")},
		{key(`,"source":{"kind":"env","env":"1A"}`), w("spec.source.env environment variable")},
		{key(`,"source":{"kind":"env","env":"RELAY_MASTER_KEY"}`), w("spec.source.env Relay's own")},
		{key(`,"source":{"kind":"file"}`), w("spec.source.path path of a file")},
		{key(`,"source":{"kind":"file","path":"a\nb"}`), w("spec.source.path one line")},
		{key(`,"source":{"kind":"file","path":"p","env":"E"}`), w("spec.source.env goes with kind env")},
		{key(`,"source":{"kind":"env","env":"E","path":"p"}`), w("spec.source.path goes with kind file")},
		{key(`,"source":{"kind":"env","env":"E"},"value":"x"`), w("spec.value stored only")},
		{key(`,"source":{"kind":"stored"},"value":"sk-wr-abc"`), w("spec.value relay key of this gateway")},
		{key(`,"source":{"kind":"stored"},"value":"a b"`), w("spec.value one word")},
	})
}

func TestValidate_ChecksPricings(t *testing.T) {
	rates := func(rates string) string { return `pricing p {"currency":"USD","rates":[` + rates + `]}` }
	runRefusals(t, []refusal{
		{rates(`{"meter":"tokens.input","unit":"per_million","amount":"2.50"},{"meter":"tokens.input","unit":"per_million","amount":"5","aboveTokens":200000},{"meter":"tokens.input","unit":"per_million","amount":"3","from":"2026-01-01","to":"2026-02-01"},{"meter":"seconds","unit":"per_unit","amount":"0"},{"meter":"images","unit":"per_thousand","amount":"0.04"}`), nil},
		{`pricing p {"currency":"EUR","rates":[{"meter":"requests","unit":"per_unit","amount":"1"}]}`, w("spec.currency USD")},
		{`pricing p {"currency":"USD"}`, w("spec.rates at least one")},
		{rates(`{"meter":"smiles","unit":"per_dozen","amount":"1"}`), w("spec.rates[0].unit per_million", "spec.rates[0].meter must be one of tokens")},
		{rates(`{"meter":"requests","unit":"per_unit","amount":"-1"}`), w("spec.rates[0].amount decimal")},
		{rates(`{"meter":"requests","unit":"per_unit","amount":"1e3"}`), w("spec.rates[0].amount decimal")},
		{rates(`{"meter":"tokens","unit":"per_million","amount":"0.0000001"}`), w("spec.rates[0].amount at most 6 decimals")},
		{rates(`{"meter":"requests","unit":"per_unit","amount":"1","aboveTokens":-1}`), w("spec.rates[0].aboveTokens between 0")},
		{rates(`{"meter":"requests","unit":"per_unit","amount":"1","from":"1.1.26","to":"x"}`), w("spec.rates[0].from date", "spec.rates[0].to date")},
		{rates(`{"meter":"requests","unit":"per_unit","amount":"1","from":"2026-01-02","to":"2026-01-02"}`), w("spec.rates[0].to after from")},
		{rates(`{"meter":"requests","unit":"per_unit","amount":"1"},{"meter":"requests","unit":"per_unit","amount":"2"}`), w("spec.rates[1] rates[0]")},
	})
}

func TestValidate_RefusesTextThatIsNoUTF8(t *testing.T) {
	rec := &store.Provider{Metadata: store.Metadata{Name: "a", Description: "\xff"}}
	wantProblems(t, store.Validate(rec), "metadata.description UTF-8")
}
