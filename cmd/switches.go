package cmd

import (
	"reflect"
	"strings"
	"time"

	"relay/gateway/plan"
	"relay/store"
)

// limits returns the process-wide switches of limits that hold under a catalog.
// A switch that is written for the process goes before everything, and then a
// profile that is; else setting limits says: its switches before its profile.
func (c *Config) limits(catalog *store.Catalog) LimitsConfig {
	set := catalog.Setting(store.SettingLimits)
	limits := c.Limits
	limits.Profile = inForce(c, profileKey, c.Limits.Profile, set.Profile)
	if !c.Written[profileKey] {
		limits = limits.orElse(LimitsConfig{Headers: set.Headers, KeyWindows: set.KeyWindows, AtCap: set.AtCap, Charge: set.Charge, OnOutage: set.OnOutage})
	}
	limits = limits.orElse(profileSwitches(limits.Profile))
	limits.DefaultOutput = c.defaultOutput(set.DefaultOutputTokens)
	limits.Timezone = inForce(c, "limits.timezone", c.Limits.Timezone, set.Timezone)
	limits.Restart = inForce(c, "limits.restart", c.Limits.Restart, set.Restart)
	return limits
}

// defaultOutput is inForce for a setting whose zero says something.
func (c *Config) defaultOutput(set *int64) int64 {
	if set == nil || c.Written["limits.default_output_tokens"] {
		return c.Limits.DefaultOutput
	}
	return *set
}

// switches are those that plans are compiled with.
func (l LimitsConfig) switches() plan.Switches {
	return plan.Switches{
		AtCap: atCap(l.AtCap), Reserve: l.Charge == "reserve", AlignKeys: l.KeyWindows == "fixed", DefaultOutput: l.DefaultOutput,
	}
}

// proxy is what the configuration says of proxy mode.
func (c *Config) proxy() plan.ProxySwitch {
	var p plan.ProxySwitch
	if c.Written["proxy.enabled"] {
		p.Enabled = &c.Proxy.Enabled
	}
	if c.Written["proxy.allow_anonymous"] {
		p.AllowAnonymous = &c.Proxy.AllowAnonymous
	}
	return p
}

// auditRetention is how long entries of the audit log are kept.
func (c *Config) auditRetention(catalog *store.Catalog) time.Duration {
	return inForce(c, "audit.retention", c.Audit.Retention, time.Duration(catalog.Setting(store.SettingAudit).Retention))
}

// inForce picks between the value of a key and the setting that stands for it at
// run time; the setting's zero value says nothing.
func inForce[T comparable](c *Config, key string, configured, set T) T {
	var nothing T
	if set == nothing || c.Written[key] {
		return configured
	}
	return set
}

// actedUpon are the members of settings that something acts upon, with the keys
// of the configuration that go before them, if any.
func actedUpon(section string) map[string][]string {
	switch section {
	case store.SettingInference:
		return map[string][]string{"allowMissingPolicy": nil}
	case store.SettingLimits:
		return map[string][]string{
			"profile": {profileKey}, "headers": {"limits.headers", profileKey}, "keyWindows": {"limits.key_windows", profileKey},
			"atCap": {"limits.at_cap", profileKey}, "charge": {"limits.charge", profileKey}, "onOutage": {"limits.on_outage", profileKey},
			"defaultOutputTokens": {"limits.default_output_tokens"}, "timezone": {"limits.timezone"}, "restart": {"limits.restart"},
		}
	case store.SettingProxy:
		return map[string][]string{"enabled": {"proxy.enabled"}, "allowAnonymous": {"proxy.allow_anonymous"}}
	case store.SettingTokens:
		return map[string][]string{"defaultTTL": nil, "maxTTL": nil}
	case store.SettingAudit:
		return map[string][]string{"retention": {"audit.retention"}}
	}
	return nil
}

// settingWarnings tell which members of settings change nothing, and why.
// restart is the switch that the process has started with.
func (c *Config) settingWarnings(catalog *store.Catalog, restart string) []store.Problem {
	var all []store.Problem
	for rec := range catalog.Settings.All() {
		acted := actedUpon(rec.Metadata.Name)
		for _, member := range membersOf(&rec.Spec) {
			if why := c.idle(acted, member); why != "" {
				all = append(all, store.Problem{Kind: store.KindSetting, Name: rec.Metadata.Name, Field: "spec." + member, Message: why})
			}
		}
	}
	if restart != c.limits(catalog).Restart {
		all = append(all, store.Problem{Kind: store.KindSetting, Name: store.SettingLimits, Field: "spec.restart", Message: "takes effect when Relay is started again"})
	}
	return all
}

// idle says why a member changes nothing, or "".
func (c *Config) idle(acted map[string][]string, member string) string {
	keys, known := acted[member]
	if !known {
		return "changes nothing: this version of Relay does not act upon it"
	}
	for _, key := range keys {
		if c.Written[key] {
			return "changes nothing: the configuration says " + key + ", which goes before it (relay config show tells where)"
		}
	}
	return ""
}

// membersOf lists the members of a setting that say something, in the order in
// which they are declared.
func membersOf(spec *store.SettingSpec) []string {
	var names []string
	v := reflect.ValueOf(spec).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !v.Field(i).IsZero() && field.Tag.Get("writeOnly") == "" && field.Tag.Get("readOnly") == "" {
			names = append(names, name)
		}
	}
	return names
}
