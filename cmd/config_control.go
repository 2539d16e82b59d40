package cmd

import (
	"time"
)

// ControlTLS is the certificate of the administrators' listener.
type ControlTLS struct {
	CertFile string `mapstructure:"cert_file" doc:"Certificate and the chain behind it, as PEM; read again when it changes."`
	KeyFile  string `mapstructure:"key_file" doc:"Its key, as PEM."`
}

// given reports whether there is a certificate, or half of one.
func (c ControlTLS) given() bool { return c.CertFile != "" || c.KeyFile != "" }

// AuthConfig is about signing in.
type AuthConfig struct {
	OIDC        OIDCConfig    `mapstructure:"oidc" doc:"An identity provider at which people sign in (OpenID Connect)."`
	SessionIdle time.Duration `mapstructure:"session_idle" doc:"How long a browser stays signed in without being used, 1m to 30d."`
	SessionMax  time.Duration `mapstructure:"session_max" doc:"How long a browser stays signed in at most, 1m to 365d."`
}

// AuditConfig is about the record of who did what.
type AuditConfig struct {
	Retention time.Duration `mapstructure:"retention" doc:"How long entries are kept, 1h to 36600d; setting audit changes it at run time unless it is written here."`
	File      string        `mapstructure:"file" doc:"A file to which every entry is added as a line of JSON; empty: none."`
}

// signIn checks how people sign in, and how long that holds.
func (k *configChecker) signIn(c *Config) {
	const day = 24 * time.Hour
	k.within("auth.session_idle", c.Auth.SessionIdle, time.Minute, 30*day)
	k.within("auth.session_max", c.Auth.SessionMax, time.Minute, 365*day)
	k.oidc(c)
	k.within("audit.retention", c.Audit.Retention, time.Hour, 36600*day)
}

// control keeps the listener on loopback unless something protects it on its
// way.
func (k *configChecker) control(c *Config) {
	k.hosts("control.allowed_hosts", c.Control.AllowedHosts)
	if c.Control.TLS.given() && (c.Control.TLS.CertFile == "" || c.Control.TLS.KeyFile == "") {
		k.fault("control.tls", "cert_file and key_file belong together: give both")
	}
	if c.Control.BehindProxy {
		k.proxied(c)
	}
	if c.Control.Listen == "off" {
		return
	}
	host, ok := k.address("control.listen", c.Control.Listen)
	if ok && !isLoopback(host) && !c.Control.TLS.given() && !c.Control.BehindProxy {
		k.fault("control.listen", "%s is reached from other machines, and nothing protects it on its way: set control.tls (cert_file and key_file) or control.behind_proxy with trusted_proxies and control.allowed_hosts behind a proxy that speaks TLS; or keep it on 127.0.0.1 and reach it through ssh -L 8081:127.0.0.1:8081", c.Control.Listen)
	}
}

// proxied asks for what tells callers apart behind a proxy: who the proxy is, and
// under which names browsers know it.
func (k *configChecker) proxied(c *Config) {
	if len(c.TrustedProxies) == 0 {
		k.fault("control.behind_proxy", "needs trusted_proxies: the addresses of the proxy, or everybody behind it counts as one")
	}
	if len(c.Control.AllowedHosts) == 0 {
		k.fault("control.behind_proxy", "needs control.allowed_hosts: the names under which browsers reach the proxy")
	}
}

// public reports whether others than this machine reach the listener.
func (c ControlConfig) public() bool {
	return c.BehindProxy || c.TLS.given() || c.Listen != "off" && !isLoopback(hostOf(c.Listen))
}
