package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"relay/store"
)

// provider is what LiteLLM calls a provider: what stands before the first slash
// of a model, at https://docs.litellm.ai/docs/providers.
type provider struct {
	names []string
	host  string // of the catalogue
	env   string // where LiteLLM looks for the key when none is given
}

func providers() []provider {
	return []provider{
		{[]string{"openai", "text-completion-openai", "custom_openai", "openai_like"}, "openai", "OPENAI_API_KEY"},
		{[]string{"anthropic", "anthropic_text"}, "anthropic", "ANTHROPIC_API_KEY"},
		{[]string{"gemini"}, "google", "GEMINI_API_KEY"},
		{[]string{"xai"}, "xai", "XAI_API_KEY"},
		{[]string{"mistral", "codestral"}, "mistral", "MISTRAL_API_KEY"},
		{[]string{"deepseek"}, "deepseek", "DEEPSEEK_API_KEY"},
		{[]string{"groq"}, "groq", "GROQ_API_KEY"},
		{[]string{"cerebras"}, "cerebras", "CEREBRAS_API_KEY"},
		{[]string{"together_ai"}, "together", "TOGETHERAI_API_KEY"},
		{[]string{"fireworks_ai"}, "fireworks", "FIREWORKS_API_KEY"},
		{[]string{"deepinfra"}, "deepinfra", "DEEPINFRA_API_KEY"},
		{[]string{"cohere", "cohere_chat"}, "cohere", "COHERE_API_KEY"},
		{[]string{"perplexity"}, "perplexity", "PERPLEXITYAI_API_KEY"},
		{[]string{"moonshot"}, "moonshot", "MOONSHOT_API_KEY"},
		{[]string{"zai"}, "zai", "ZAI_API_KEY"},
		{[]string{"minimax"}, "minimax-openai", "MINIMAX_API_KEY"},
		{[]string{"dashscope"}, "alibaba", "DASHSCOPE_API_KEY"},
		{[]string{"openrouter"}, "openrouter", "OPENROUTER_API_KEY"},
		{[]string{"nvidia_nim"}, "nvidia", "NVIDIA_NIM_API_KEY"},
		{[]string{"huggingface"}, "huggingface", "HF_TOKEN"},
		{[]string{"github"}, "github-models", "GITHUB_API_KEY"},
		{[]string{"ollama", "ollama_chat"}, "ollama", ""},
		{[]string{"lm_studio"}, "lmstudio", ""},
		{[]string{"hosted_vllm", "vllm", "llamafile", "xinference"}, "vllm", ""},
		{[]string{"litellm_proxy"}, "", "LITELLM_PROXY_API_KEY"},
		{[]string{"azure", "azure_ai", "azure_text"}, "azure", "AZURE_API_KEY"},
		{[]string{"bedrock", "bedrock_converse"}, "bedrock", "AWS_BEARER_TOKEN_BEDROCK"},
		{[]string{"vertex_ai", "vertex_ai_beta"}, "vertex", ""},
	}
}

func providerOf(name string) (provider, bool) {
	all := providers()
	i := slices.IndexFunc(all, func(p provider) bool { return slices.Contains(p.names, name) })
	if i < 0 {
		return provider{}, false
	}
	return all[i], true
}

// upstream is where a deployment leads.
type upstream struct {
	provider string
	model    string
	endpoint endpoint
	key      credential
	note     string // how it differs from before
}

// place names what could not be taken over.
func (u upstream) place() string {
	if u.provider == "" {
		return ""
	}
	return u.provider + "/" + strings.TrimPrefix(u.model, u.provider+"/") + ": "
}

// split takes the model of a deployment apart. Without a provider it is that of
// the catalogue's model of the name, as LiteLLM has lists of its own.
func (l *litellm) split(text, given string) (name, model string) {
	prefix, rest, found := strings.Cut(text, "/")
	if _, known := providerOf(prefix); found && known && (given == "" || given == prefix) {
		return prefix, rest
	}
	if given != "" {
		return given, text
	}
	for _, host := range []string{"openai", "anthropic", "google", "mistral", "xai", "deepseek"} {
		for _, o := range l.data.Offers {
			if o.Host == host && strings.EqualFold(cmp.Or(o.As, o.Model), text) {
				return nameOfHost(host), text
			}
		}
	}
	for _, start := range []string{"gpt-", "o1", "o3", "o4", "text-embedding-", "tts-", "whisper-", "dall-e", "chatgpt-"} {
		if strings.HasPrefix(text, start) {
			return "openai", text
		}
	}
	switch {
	case strings.HasPrefix(text, "claude-"):
		return "anthropic", text
	case found:
		return prefix, text
	}
	return "", text
}

// nameOfHost is what LiteLLM calls the provider behind a host of the catalogue.
func nameOfHost(host string) string {
	for _, p := range providers() {
		if p.host == host {
			return p.names[0]
		}
	}
	return host
}

// locate finds out where a deployment leads.
func (l *litellm) locate(params *object) (upstream, error) {
	given, _ := l.plain(params.text("custom_llm_provider"))
	text, missing := l.plain(params.text("model"))
	if missing != "" {
		return upstream{}, unset("model", missing)
	}
	name, model := l.split(text, given)
	base, missing := l.plain(cmp.Or(params.text("api_base"), params.text("base_url")))
	if missing != "" {
		return upstream{}, unset("api_base", missing)
	}
	known, ok := providerOf(name)
	u := upstream{provider: name, model: model, key: keyOf(params.text("api_key"))}
	switch {
	case !ok && name == "" && base == "":
		return u, fmt.Errorf("model %q names no provider, and api_base is not given", text)
	case !ok && base == "":
		return u, fmt.Errorf("provider %q is none that Relay knows a host of, and api_base is not given", name)
	case !ok:
		known, u.model = provider{host: "openai"}, strings.TrimPrefix(model, name+"/")
		u.note = fmt.Sprintf("provider %q is taken as a server that speaks OpenAI's shape", name)
	}
	if u.key.none() && params.text("api_key") == "" && known.env != "" {
		u.key = credential{env: known.env}
	}
	var err error
	switch known.host {
	case "azure":
		err = l.azure(&u, base, params)
	case "bedrock":
		err = l.bedrock(&u, params)
	case "vertex":
		err = l.vertex(&u, params)
	default:
		err = l.ordinary(&u, known, base)
	}
	return u, err
}

func unset(member, variable string) error {
	return fmt.Errorf("%s stands in the environment variable %s: set it and import again", member, variable)
}

func (l *litellm) ordinary(u *upstream, known provider, base string) error {
	e, found := l.ofCatalogue(cmp.Or(known.host, "openai"))
	if !found {
		return fmt.Errorf("the catalogue has no host %s", known.host)
	}
	switch {
	case e.auth == "none" && !u.key.none():
		e.auth, e.shipped = "bearer", false
	case u.key.none():
		e.auth, e.shipped = "none", e.auth == "none"
	}
	if known.host == "" && base == "" {
		return errors.New("api_base is not given")
	}
	if base == "" {
		if !e.shipped && e.auth == "none" {
			return errors.New("no key is given")
		}
		u.endpoint = e
		return nil
	}
	if e.host == "anthropic" {
		base = withPath(strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1/messages"), "/v1")
	}
	if e.host == "openai" && root(base) != root(e.base) {
		e.shapes = []store.Shape{store.ShapeOpenAI} // servers of others rarely speak the other one
	}
	moved, err := l.at(e, base)
	u.endpoint = moved
	return err
}

// azure takes the resource's API of version 1, which needs no api-version.
func (l *litellm) azure(u *upstream, base string, params *object) error {
	if base == "" {
		return errors.New("api_base is not given: the endpoint of the Azure resource")
	}
	if params.text("azure_ad_token") != "" || params.text("tenant_id") != "" || params.text("client_id") != "" || params.text("azure_username") != "" {
		return errors.New("signs in with Entra ID; Relay takes the resource's API key, or a token in a file that another program renews")
	}
	e, _ := l.ofCatalogue("azure")
	for _, prefix := range []string{"o_series/", "gpt5_series/", "responses/"} {
		u.model = strings.TrimPrefix(u.model, prefix)
	}
	version := params.text("api_version")
	u.note = "Azure's API of version 1 is called"
	if version != "" {
		u.note += ", which takes no api_version"
	}
	moved, err := l.at(e, root(base)+"/openai/v1")
	u.endpoint = moved
	return err
}

func (l *litellm) bedrock(u *upstream, params *object) error {
	region, missing := l.plain(params.text("aws_region_name"))
	if u.key.env == "AWS_BEARER_TOKEN_BEDROCK" && params.text("api_key") == "" {
		if _, set := l.variable(u.key.env); !set {
			return errors.New("signs with AWS access keys (SigV4), which Relay does not; with a Bedrock API key (api_key, or AWS_BEARER_TOKEN_BEDROCK is set) it is taken over")
		}
	}
	if region == "" {
		if missing != "" {
			return unset("aws_region_name", missing)
		}
		return errors.New("aws_region_name is not given")
	}
	e, _ := l.ofCatalogue("bedrock")
	u.model = strings.TrimPrefix(u.model, "converse/")
	u.note = "Bedrock's endpoint in OpenAI's shape is called, which has not every model"
	moved, err := l.at(e, store.FillBaseURL(e.base, map[string]string{"region": region}))
	moved.host = "bedrock " + region
	u.endpoint = moved
	return err
}

// vertex takes Vertex AI in express mode, which has API keys.
func (l *litellm) vertex(u *upstream, params *object) error {
	if params.text("api_key") == "" {
		return errors.New("signs in with a Google account, whose tokens end within the hour; with an API key (express mode) it is taken over, else make a host key of a file that another program renews")
	}
	u.note = "Vertex AI in express mode is called"
	e := endpoint{auth: "x-goog-api-key", shapes: []store.Shape{store.ShapeGemini}}
	moved, err := l.at(e, "https://aiplatform.googleapis.com/v1/publishers/google")
	moved.host = "vertex express"
	u.endpoint = moved
	return err
}
