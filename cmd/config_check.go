package cmd

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // containers without zone files know zones too

	"relay/store"
)

// maxSocketPath is what every system takes as the path of a Unix socket.
const maxSocketPath = 100

// configChecker collects what is wrong with values that parse.
type configChecker struct {
	origins settings
	faults  []string
}

// check returns the faults of the configuration as a whole.
func (c *Config) check(origins settings) []string {
	k := &configChecker{origins: origins}
	k.between("max_inflight", int64(c.MaxInFlight), 1, 1_000_000, plainText)
	k.between("max_request_bytes", int64(c.MaxRequestBytes), 1<<10, 4<<30, byteText)
	if c.MaxBuffered != 0 {
		k.between("max_buffered_bytes", int64(c.MaxBuffered), 1<<20, 1<<40, byteText)
	}
	k.between("max_connections", int64(c.MaxConnections), 0, 10_000_000, plainText)
	k.between("max_attempts", int64(c.MaxAttempts), 1, 100, plainText)
	k.between("upstream.max_idle_per_host", int64(c.Upstream.MaxIdlePerHost), 1, 100_000, plainText)
	k.between("usage.queue", int64(c.Usage.Queue), 64<<10, 64<<30, byteText)
	k.within("shutdown_timeout", c.ShutdownTimeout, 0, 24*time.Hour)
	k.within("inference.read_header_timeout", c.Inference.ReadHeaderTimeout, time.Millisecond, time.Hour)
	k.within("inference.body_idle_timeout", c.Inference.BodyIdleTimeout, time.Millisecond, time.Hour)
	k.within("inference.body_timeout", c.Inference.BodyTimeout, time.Millisecond, 24*time.Hour)
	k.within("stream.keepalive", c.Stream.KeepAlive, 0, time.Hour)
	k.within("stream.idle_timeout", c.Stream.IdleTimeout, time.Millisecond, 24*time.Hour)
	k.within("state.snapshot_interval", c.State.SnapshotInterval, 100*time.Millisecond, time.Minute)
	k.within("usage.flush_interval", c.Usage.FlushInterval, time.Millisecond, 10*time.Second)
	k.between("backup.keep", int64(c.Backup.Keep), 1, 1000, plainText)
	if c.Backup.Every != 0 {
		k.within("backup.every", c.Backup.Every, time.Minute, 366*24*time.Hour)
	}
	k.between("media.max_upload_bytes", int64(c.Media.MaxUploadBytes), 0, 4<<30, byteText)
	k.between("media.max_audio_seconds", int64(c.Media.MaxAudioSeconds), 0, 1_000_000, plainText)
	k.between("media.max_speech_chars", int64(c.Media.MaxSpeechChars), 0, 100_000_000, plainText)
	k.inference(c)
	k.hosts("inference.allowed_hosts", c.Inference.AllowedHosts)
	k.pages("inference.cors_origins", c.Inference.CORSOrigins)
	if c.Domain != "" {
		k.hosts("domain", []string{c.Domain})
	}
	k.control(c)
	k.signIn(c)
	k.timezone("limits.timezone", c.Limits.Timezone)
	k.between("limits.default_output_tokens", c.Limits.DefaultOutput, 0, 1<<50, plainText)
	k.backend(c.State.Backend)
	for _, text := range c.TrustedProxies {
		if _, err := parseNetwork(text); err != nil {
			k.fault("trusted_proxies", "%v", err)
		}
	}
	if _, written := origins["socket"]; written && len(c.Socket) > maxSocketPath {
		k.fault("socket", "%s is longer than %d bytes", c.Socket, maxSocketPath)
	}
	return k.faults
}

func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", text)
	}
	return network.Masked(), nil
}

func (k *configChecker) fault(key, format string, args ...any) {
	text := key + ": " + fmt.Sprintf(format, args...)
	if one, written := k.origins[key]; written {
		text += " (" + one.origin + ")"
	}
	k.faults = append(k.faults, text)
}

func plainText(n int64) string { return strconv.FormatInt(n, 10) }
func byteText(n int64) string  { return Size(n).String() }

func (k *configChecker) between(key string, n, least, most int64, text func(int64) string) {
	if n < least || n > most {
		k.fault(key, "%s is not between %s and %s", text(n), text(least), text(most))
	}
}

func (k *configChecker) within(key string, d, least, most time.Duration) {
	if d < least || d > most {
		k.fault(key, "%s is not between %s and %s", store.FormatDuration(d), store.FormatDuration(least), store.FormatDuration(most))
	}
}

func (k *configChecker) address(key, text string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		k.fault(key, "%q is not ADDRESS:PORT, such as 127.0.0.1:8080", text)
		return "", false
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		k.fault(key, "%q is not a port between 0 and 65535", port)
		return "", false
	}
	return host, true
}

// inference lets callers without a key in on loopback only, and not through a
// proxy: to Relay all who come through one on this machine are this machine.
func (k *configChecker) inference(c *Config) {
	host, ok := k.address("inference.listen", c.Inference.Listen)
	if !c.Inference.open() {
		return
	}
	if ok && !isLoopback(host) {
		k.fault("inference.auth", "open lets everybody in who reaches %s; listen on a loopback address such as 127.0.0.1:8080, or write key", c.Inference.Listen)
	}
	if len(c.TrustedProxies) > 0 {
		k.fault("inference.auth", "open lets everybody in whom a proxy of trusted_proxies brings, without a key; write key and give callers keys (relay key add NAME), or remove trusted_proxies and the proxy")
	}
}

func (k *configChecker) hosts(key string, names []string) {
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "/: \t") {
			k.fault(key, "%q is not a host name without scheme, port and path", name)
		}
	}
}

// pages checks origins as browsers write them (RFC 6454, section 7).
func (k *configChecker) pages(key string, origins []string) {
	for _, text := range origins {
		if text == "*" || text == "null" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || strings.Contains(text, "*") || u.Scheme+"://"+u.Host != strings.TrimSuffix(text, "/") {
			k.fault(key, "%q is not an origin such as https://app.example or http://localhost:3000, null, or * for every page", text)
		}
	}
}

// hostOf returns the host of an address that has been checked.
func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func (k *configChecker) timezone(key, name string) {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		k.fault(key, "%q is not a time zone; write a name such as UTC or Europe/Berlin", name)
	}
}

func (k *configChecker) backend(name string) {
	switch name {
	case "memory":
	case "redis":
		k.fault("state.backend", "this version of Relay keeps counters in memory only; write memory: each process then counts for itself")
	default:
		k.fault("state.backend", "%q is not memory", name)
	}
}
