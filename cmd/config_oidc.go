package cmd

import (
	"net/url"
	"strings"

	"relay/admin"
	"relay/store"
)

// OIDCConfig is an identity provider at which people sign in (OpenID Connect).
type OIDCConfig struct {
	Issuer       string       `mapstructure:"issuer" doc:"URL of the identity provider; empty: people sign in with passwords only."`
	ClientID     string       `mapstructure:"client_id" doc:"What the provider knows Relay as."`
	ClientSecret store.Secret `mapstructure:"client_secret" doc:"The secret that goes with it, best as ${VARIABLE} or in the file that RELAY_AUTH_OIDC_CLIENT_SECRET_FILE names; empty for a client without one."`
	RedirectURL  string       `mapstructure:"redirect_url" doc:"Where browsers come back to, as the provider has it: the address of the admin UI with api/auth/oidc/callback behind it."`
	Registration string       `mapstructure:"registration" oneof:"open,closed" doc:"Who becomes a user by signing in there: open, everybody; closed, those only who are users already, by their address, or are named in admins."`
	GroupsClaim  string       `mapstructure:"groups_claim" doc:"The claim that names the groups of a user; empty: none does."`
	Admins       []string     `mapstructure:"admins" doc:"Verified mail addresses, or subjects, of people who may do everything."`
}

const callbackPath = "/api/auth/oidc/callback"

// oidc checks what is needed to sign in at the provider.
func (k *configChecker) oidc(c *Config) {
	o := c.Auth.OIDC
	if o.Issuer == "" {
		if o.ClientID != "" || o.RedirectURL != "" || len(o.Admins) > 0 {
			k.fault("auth.oidc.issuer", "is missing: the other keys of auth.oidc say nothing without it")
		}
		return
	}
	k.web("auth.oidc.issuer", o.Issuer)
	k.web("auth.oidc.redirect_url", o.RedirectURL)
	if o.ClientID == "" {
		k.fault("auth.oidc.client_id", "is missing")
	}
	if !strings.HasSuffix(o.RedirectURL, callbackPath) {
		k.fault("auth.oidc.redirect_url", "must end in %s", callbackPath)
	}
	if o.Registration == "open" && c.Authz == "single" && len(o.Admins) == 0 {
		k.fault("auth.oidc.registration", "open with authz: single and without auth.oidc.admins lets everybody in and nobody do anything: name the administrators in auth.oidc.admins, or write authz: rbac, or registration: closed")
	}
}

// web checks an address that browsers and secrets go to.
func (k *configChecker) web(key, text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		k.fault(key, "must be a URL such as https://id.example.com")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		k.fault(key, "must begin with https, save on this machine")
	}
}

// provider is the identity provider as the control API takes it, or nil.
func (c OIDCConfig) provider() *admin.OIDC {
	if c.Issuer == "" {
		return nil
	}
	return &admin.OIDC{
		Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: c.RedirectURL,
		Open: c.Registration == "open", GroupsClaim: c.GroupsClaim, Admins: c.Admins,
	}
}
