package store

import "encoding/json"

// Shape names a wire shape: the protocol that a caller or an upstream speaks.
type Shape string

// The wire shapes.
const (
	ShapeOpenAI    Shape = "openai"
	ShapeResponses Shape = "openai_responses"
	ShapeAnthropic Shape = "anthropic"
	ShapeGemini    Shape = "gemini"
	ShapeOllama    Shape = "ollama"
)

// ProviderSpec is who makes models.
type ProviderSpec struct {
	Enabled     *bool  `json:"enabled,omitempty"`
	HomepageURL string `json:"homepageURL,omitempty"`
	DocsURL     string `json:"docsURL,omitempty"`
	Icon        string `json:"icon,omitempty"`
}

// HostSpec is an upstream endpoint. BaseURL includes the version segment as
// SDKs' base URLs do. Auth is bearer, x-api-key, x-goog-api-key, none, or
// header:NAME.
type HostSpec struct {
	Enabled             *bool             `json:"enabled,omitempty"`
	BaseURL             string            `json:"baseURL"`
	Auth                string            `json:"auth"`
	Shapes              []Shape           `json:"shapes,omitempty"`
	Headers             map[string]string `json:"headers,omitempty"`
	DefaultTierPolicyID string            `json:"defaultTierPolicyId,omitempty" ref:"policy"`
	UnknownModels       string            `json:"unknownModels,omitempty" enum:"forward,refuse"`
	DrainOnDisconnect   Duration          `json:"drainOnDisconnect,omitzero"`
	Timeouts            *HostTimeouts     `json:"timeouts,omitempty"`
	TLS                 *HostTLS          `json:"tls,omitempty"`
	ProxyURL            string            `json:"proxyURL,omitempty"`
	AllowPrivate        bool              `json:"allowPrivate,omitempty"`
	Insecure            bool              `json:"insecure,omitempty"`
}

// HostTimeouts bound an attempt. Absent members keep the defaults: connect
// 10s, header none, idle stream.idle_timeout.
type HostTimeouts struct {
	Connect *Duration `json:"connect,omitempty"`
	Header  *Duration `json:"header,omitempty"`
	Idle    *Duration `json:"idle,omitempty"`
}

// HostTLS changes how a host's certificate is verified.
type HostTLS struct {
	CAFile             string `json:"caFile,omitempty"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify,omitempty"`
}

// HostBindingSpec says that a host serves a model, under which name, in which
// shapes (best first; empty: the host's) and at which price. The pair of model
// and host is unique.
type HostBindingSpec struct {
	Enabled      *bool          `json:"enabled,omitempty"`
	ModelID      string         `json:"modelId" ref:"model"`
	HostID       string         `json:"hostId" ref:"host"`
	Shapes       []Shape        `json:"shapes,omitempty"`
	UpstreamName string         `json:"upstreamName,omitempty"`
	PricingID    string         `json:"pricingId,omitempty" ref:"pricing"`
	Params       *BindingParams `json:"params,omitempty"`
	PromptCache  string         `json:"promptCache,omitempty" enum:"off,auto"`
	Priority     int            `json:"priority,omitempty"`
	Weight       *int           `json:"weight,omitempty"`
}

// BindingParams adapt request members to what the host takes.
type BindingParams struct {
	Drop     []string                   `json:"drop,omitempty"`
	Rename   map[string]string          `json:"rename,omitempty"`
	Defaults map[string]json.RawMessage `json:"defaults,omitempty"`
	Refuse   []string                   `json:"refuse,omitempty"`
}

// HostAccountSpec is an organization at a provider: it groups host keys that
// share a quota and a prompt cache.
type HostAccountSpec struct {
	Enabled *bool  `json:"enabled,omitempty"`
	HostID  string `json:"hostId" ref:"host"`
}

// HostKeySpec is a provider key. A stored value is sealed apart from the
// record; reads give only its hint and hash.
type HostKeySpec struct {
	Enabled      *bool     `json:"enabled,omitempty"`
	HostID       string    `json:"hostId" ref:"host"`
	AccountID    string    `json:"accountId,omitempty" ref:"host-account"`
	TierPolicyID string    `json:"tierPolicyId,omitempty" ref:"policy"`
	Source       KeySource `json:"source"`
	Value        Secret    `json:"value,omitzero" writeOnly:"true"`
	ValueHint    string    `json:"valueHint,omitempty" readOnly:"true"`
	ValueHash    string    `json:"valueHash,omitempty" readOnly:"true"`
}

// KeySource says where a host key's value comes from: sealed in the store,
// an environment variable, or a file that another program renews.
type KeySource struct {
	Kind string `json:"kind" enum:"stored,env,file"`
	Env  string `json:"env,omitempty"`
	Path string `json:"path,omitempty"`
}
