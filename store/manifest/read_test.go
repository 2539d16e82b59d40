package manifest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"relay/store/manifest"
)

// read reads a manifest that must be right.
func read(t *testing.T, text string) []manifest.Document {
	t.Helper()
	docs, problems := manifest.Read(strings.NewReader(text), "test.yaml", options())
	for _, p := range problems {
		t.Fatal(p)
	}
	return docs
}

// doc writes one document with everything on few lines.
func doc(kind, name, spec string) string {
	return fmt.Sprintf("---\napiVersion: relay/v1\nkind: %s\nmetadata: {name: %q}\nspec: %s\n", kind, name, spec)
}

func wantSpec(t *testing.T, manifestSpec, kind, want string) {
	t.Helper()
	docs := read(t, doc(kind, "x", manifestSpec))
	if got := string(docs[0].Spec); got != want {
		t.Errorf("%s\n got %s\nwant %s", manifestSpec, got, want)
	}
}

func TestRead_GivesTheMembersOfTheAPI(t *testing.T) {
	for _, c := range []struct{ kind, spec, want string }{
		{"RateLimit", `{rules: [{meter: requests, amount: 1_000, window: 1d, strategy: sliding-window}]}`,
			`{"rules":[{"amount":1000,"meter":"requests","strategy":"sliding-window","window":86400}]}`},
		{"Policy", `{rateLimit: a, pools: [{name: m, hostKeys: [k]}], payloadLogging: true}`,
			`{"payloadLogging":true,"pools":[{"hostKeyIds":["k"],"name":"m"}],"rateLimitId":"a"}`},
		{"Model", `{provider: p, fallbacks: [a, {model: b, weight: 2}], releaseDate: 2026-01-31}`,
			`{"fallbacks":[{"modelId":"a"},{"modelId":"b","weight":2}],"providerId":"p","releaseDate":"2026-01-31"}`},
		{"Host", `{baseURL: "https://a.example", auth: none, drainOnDisconnect: 2s, timeouts: {header: 0}, defaultTierPolicy: t}`,
			`{"auth":"none","baseURL":"https://a.example","defaultTierPolicyId":"t","drainOnDisconnect":"2s","timeouts":{"header":"0"}}`},
		{"HostBinding", `{model: m, host: h, shape: openai, params: {defaults: {a: 1.50, b: [x, null, true], c: {d: 0x10}, e: .5}}}`,
			`{"hostId":"h","modelId":"m","params":{"defaults":{"a":1.50,"b":["x",null,true],"c":{"d":16},"e":0.5}},"shapes":["openai"]}`},
		{"HostKey", `{host: h, account: a, tierPolicy: t, source: {kind: file, path: /run/key}}`,
			`{"accountId":"a","hostId":"h","source":{"kind":"file","path":"/run/key"},"tierPolicyId":"t"}`},
		{"RelayKey", `{principal: {kind: service-account, name: s}, keyHash: ` + strings.Repeat("0a", 32) + `, expiresAt: 2027-01-01}`,
			`{"expiresAt":"2027-01-01T00:00:00Z","keyHash":"` + strings.Repeat("0a", 32) + `","principal":{"id":"s","kind":"service-account"}}`},
		{"Organization", `{limits: null, enabled: }`, `{}`},
		{"Policy", ``, `{}`},
	} {
		wantSpec(t, c.spec, c.kind, c.want)
	}
}

func TestRead_TakesWindowsAsDurations(t *testing.T) {
	for window, seconds := range map[string]int{`"60s"`: 60, `"1m"`: 60, `1m`: 60, `"1d"`: 86400, `7d`: 604800, `1h30m`: 5400, `"${WINDOW}"`: 60} {
		docs := read(t, doc("RateLimit", "x", `{rules: [{meter: requests, amount: 1, strategy: fixed-window, window: `+window+`}]}`))
		if want := fmt.Sprintf(`"window":%d}`, seconds); !strings.Contains(string(docs[0].Spec), want) {
			t.Errorf("%s: %s, want %s", window, docs[0].Spec, want)
		}
	}
}

func TestRead_PutsVariablesIntoEveryScalar(t *testing.T) {
	docs := read(t, `
apiVersion: relay/v1
kind: Model
metadata: {name: "m-${NUMBER}", description: "${ODD}", labels: {app: "$${URL} $5 a$"}}
spec: {aliases: [a, "b-${LONG}"], contextWindow: "${NUMBER}", capabilities: {chat: "${TRUE}"}, tags: ["x${EMPTY}"]}
`)
	m := docs[0].Metadata
	odd, _ := environment("ODD")
	if m.Name != "m-128000" || m.Description != odd || m.Labels["app"] != "${URL} $5 a$" {
		t.Errorf("metadata %+v", m)
	}
	want := `{"aliases":["a","b-0123456789abcdef"],"capabilities":{"chat":true},"contextWindow":128000,"tags":["x"]}`
	if string(docs[0].Spec) != want {
		t.Errorf("spec %s", docs[0].Spec)
	}
}

func TestRead_HashesTheSecretOfARelayKeyAndLetsNothingElseOut(t *testing.T) {
	docs := read(t, doc("RelayKey", "k", `{principal: "service-account:a", source: {kind: env, env: CHATBOT_KEY}}`))
	secret, _ := environment("CHATBOT_KEY")
	sum := sha256.Sum256([]byte(secret))
	text, err := json.Marshal(docs)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), hex.EncodeToString(sum[:])) || strings.Contains(string(text), secret) || strings.Contains(string(text), "CHATBOT_KEY") {
		t.Errorf("got %s", text)
	}
}

func TestRead_MakesADocumentOfEachAccount(t *testing.T) {
	docs := read(t, doc("PolicyBinding", "anything", `{policy: p, accounts: ["team:a", "project:b"]}`)+
		"---\napiVersion: relay/v1\nkind: PolicyBinding\nspec: {policy: p, account: \"team:c\"}\n")
	var got []string
	for _, d := range docs {
		got = append(got, d.Metadata.Name+" "+string(d.Spec))
	}
	want := `team-a {"account":"team:a","policyId":"p"}|project-b {"account":"project:b","policyId":"p"}|team-c {"account":"team:c","policyId":"p"}`
	if strings.Join(got, "|") != want {
		t.Errorf("got %v", got)
	}
}

func TestRead_TakesJSONSinceItIsYAML(t *testing.T) {
	docs := read(t, `{"apiVersion":"relay/v1","kind":"Team","metadata":{"name":"a"},"spec":{"organization":"o"}}`)
	if string(docs[0].Spec) != `{"organizationId":"o"}` {
		t.Errorf("spec %s", docs[0].Spec)
	}
}

func TestRead_UnfoldsAliases(t *testing.T) {
	wantSpec(t, `{limits: &l {rpm: 1}, enabled: true}`, "Organization", `{"enabled":true,"limits":{"rpm":1}}`)
	wantSpec(t, `{aliases: &l [a, b], tags: *l}`, "Model", `{"aliases":["a","b"],"tags":["a","b"]}`)
}

func TestRead_SkipsEmptyDocuments(t *testing.T) {
	if docs := read(t, "---\n# nothing\n---\n"+doc("Policy", "p", "{}")+"---\n"); len(docs) != 1 {
		t.Errorf("%d documents", len(docs))
	}
	if docs := read(t, ""); len(docs) != 0 {
		t.Errorf("%d documents", len(docs))
	}
}

func TestRead_GoesOnAfterADocumentThatIsWrong(t *testing.T) {
	docs, problems := manifest.Read(strings.NewReader(doc("Policy", "a", "{x: 1}")+doc("Policy", "b", "{}")+doc("Polcy", "c", "{}")), "f", options())
	if len(docs) != 1 || docs[0].Metadata.Name != "b" || len(problems) != 2 {
		t.Errorf("%v, %v", docs, problems)
	}
}

func TestRead_RefusesWhatIsTooLargeOrCannotBeRead(t *testing.T) {
	for reason, r := range map[string]interface{ Read([]byte) (int, error) }{
		"larger than 1 MiB": strings.NewReader(strings.Repeat("# x\n", manifest.MaxSize/4+1)),
		"boom":              iotest.ErrReader(errors.New("boom")),
		"is not YAML":       strings.NewReader("\x00"),
	} {
		_, problems := manifest.Read(r, "f.yaml", options())
		if len(problems) != 1 || !strings.Contains(problems[0].String(), reason) || problems[0].File != "f.yaml" {
			t.Errorf("%s: %v", reason, problems)
		}
	}
}

func TestReadPath_ReadsTheManifestsOfAFolderButNotOfFoldersInside(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.yaml": doc("Policy", "b", "{}"), "a.yml": doc("Policy", "a", "{}"), "c.json": "{}", "notes.txt": "x: [",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	docs, problems := manifest.ReadPath(dir, options())
	if len(docs) != 2 || docs[0].Metadata.Name != "a" || docs[1].Metadata.Name != "b" || docs[1].File != filepath.Join(dir, "b.yaml") {
		t.Errorf("documents %v", docs)
	}
	if len(problems) != 2 || problems[0].File != filepath.Join(dir, "c.json") {
		t.Errorf("problems %v", problems)
	}
}

func TestReadPath_TellsWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	for path, reason := range map[string]string{
		dir:                            "holds no file",
		filepath.Join(dir, "gone.yml"): "no such file",
		"-":                            "standard input is not available",
	} {
		_, problems := manifest.ReadPath(path, manifest.Options{})
		if len(problems) != 1 || !strings.Contains(problems[0].String(), reason) {
			t.Errorf("%s: %v", path, problems)
		}
	}
	docs, problems := manifest.ReadPath("-", manifest.Options{Stdin: strings.NewReader(doc("Policy", "p", "{}"))})
	if len(docs) != 1 || len(problems) != 0 || docs[0].File != "stdin" {
		t.Errorf("%v, %v", docs, problems)
	}
}

func TestRead_NeedsNoEnvironmentForManifestsWithoutVariables(t *testing.T) {
	docs, problems := manifest.Read(strings.NewReader(doc("Policy", "p", "{}")), "f", manifest.Options{})
	if len(docs) != 1 || len(problems) != 0 {
		t.Errorf("%v, %v", docs, problems)
	}
}

func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob(testdata + "*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("a: &a [*a]\n---\n*b"))
	f.Add([]byte("apiVersion: relay/v1\nkind: HostBinding\nmetadata: {name: b}\nspec: {params: {defaults: {a: !!int x, b: !!float y, ? [c] : d}}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		docs, problems := manifest.Read(strings.NewReader(string(text)), "fuzz.yaml", options())
		for _, p := range problems {
			if p.Message == "" || p.File != "fuzz.yaml" {
				t.Errorf("a problem without a message or a file: %+v", p)
			}
		}
		sent, err := json.Marshal(docs)
		if err != nil {
			t.Fatalf("documents do not travel: %v", err)
		}
		var got []manifest.Document
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatalf("documents do not arrive: %v", err)
		}
	})
}
