package store

import "time"

// The sections of settings: each is one record under its name.
const (
	SettingInference = "inference"
	SettingLimits    = "limits"
	SettingProxy     = "proxy"
	SettingPayloads  = "payloads"
	SettingTokens    = "tokens"
	SettingAudit     = "audit"
	SettingUsage     = "usage"
	SettingWebhook   = "webhook"
)

// SettingSpec is what can be changed at run time. A record holds the members of
// its own section only, and an absent member keeps its default. What the
// configuration file says goes before it.
type SettingSpec struct {
	AllowMissingPolicy *bool `json:"allowMissingPolicy,omitempty" section:"inference" doc:"Lets keys call everything that no policy governs."`

	Profile             string `json:"profile,omitempty" section:"limits" enum:"default,aligned,strict" doc:"Sets headers, keyWindows, atCap, charge and onOutage as far as they are absent."`
	Headers             string `json:"headers,omitempty" section:"limits" enum:"off,rejections,all"`
	KeyWindows          string `json:"keyWindows,omitempty" section:"limits" enum:"sliding,fixed"`
	AtCap               string `json:"atCap,omitempty" section:"limits" enum:"admit,refuse"`
	Charge              string `json:"charge,omitempty" section:"limits" enum:"actual,reserve"`
	OnOutage            string `json:"onOutage,omitempty" section:"limits" enum:"local,refuse,allow"`
	DefaultOutputTokens *int64 `json:"defaultOutputTokens,omitempty" section:"limits" doc:"Output that charge reserve books for requests that do not cap theirs; 0: they must."`
	Timezone            string `json:"timezone,omitempty" section:"limits"`
	Restart             string `json:"restart,omitempty" section:"limits" enum:"normal,never-over"`

	Enabled        *bool  `json:"enabled,omitempty" section:"proxy,payloads"`
	AllowAnonymous *bool  `json:"allowAnonymous,omitempty" section:"proxy"`
	MaxBytes       *int64 `json:"maxBytes,omitempty" section:"payloads" doc:"Of one body."`
	MaxSize        *int64 `json:"maxSize,omitempty" section:"payloads" doc:"Of all bodies, in bytes."`

	DefaultTTL Duration `json:"defaultTTL,omitzero" section:"tokens" doc:"Of an inference token, 1h when absent."`
	MaxTTL     Duration `json:"maxTTL,omitzero" section:"tokens" doc:"Of an inference token, 24h when absent and at most."`

	Retention Duration `json:"retention,omitzero" section:"payloads,audit,usage"`

	URL        string    `json:"url,omitempty" section:"webhook"`
	Secret     Secret    `json:"secret,omitzero" writeOnly:"true" section:"webhook" doc:"Signs what is sent; kept sealed."`
	HasSecret  bool      `json:"hasSecret,omitempty" readOnly:"true" section:"webhook"`
	Thresholds []float64 `json:"thresholds,omitempty" section:"webhook" doc:"Shares of a budget that are told when they are reached, 0.8 and 1 when absent."`
}

// SettingSections lists the names that settings can have.
func SettingSections() []string {
	return []string{
		SettingInference, SettingLimits, SettingProxy, SettingPayloads, SettingTokens, SettingAudit, SettingUsage, SettingWebhook,
	}
}

// Setting returns the section of the name; an empty one when there is no such
// record. It is never nil.
func (c *Catalog) Setting(section string) *SettingSpec {
	if rec := c.Settings.ByName(section); rec != nil {
		return &rec.Spec
	}
	return &SettingSpec{}
}

// Bounds of what inference tokens live.
const (
	defaultTokenTTL = time.Hour
	mostTokenTTL    = 24 * time.Hour
)

// TokenTTL returns how long inference tokens live: usually, and at most.
func (c *Catalog) TokenTTL() (usual, most time.Duration) {
	s := c.Setting(SettingTokens)
	most = min(time.Duration(or(s.MaxTTL, Duration(mostTokenTTL))), mostTokenTTL)
	return min(time.Duration(or(s.DefaultTTL, Duration(defaultTokenTTL))), most), most
}
