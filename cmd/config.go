package cmd

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"relay/store"
)

// Config is what must be known before the database is open, or differs per
// process. Every leaf has a default and a sentence that relay.example.yaml and
// the flags of serve show.
type Config struct {
	DataDir         string        `mapstructure:"data_dir" doc:"Where the database, the master key and the socket lie; empty: $XDG_DATA_HOME/relay, else ~/.local/share/relay."`
	ConfigDir       string        `mapstructure:"config_dir" doc:"A folder of manifests that are applied at start and on SIGHUP, each record as long as its text changes; its folder ratelimits gives a new database its system limits. Empty: none."`
	MasterKeyFile   string        `mapstructure:"master_key_file" doc:"The key that seals provider keys, made at first boot; empty: master.key in the data directory. RELAY_MASTER_KEY holds the key itself."`
	Socket          string        `mapstructure:"socket" doc:"The Unix socket on which the command line reaches the server, at most 100 bytes; empty: relay.sock in the data directory."`
	MaxInFlight     int           `mapstructure:"max_inflight" doc:"How many requests may be in hand at once, those of one account at most half of them; others are told 503, 1 to 1000000."`
	MaxRequestBytes Size          `mapstructure:"max_request_bytes" doc:"The largest request body, also after gzip or zstd is undone."`
	MaxBuffered     Size          `mapstructure:"max_buffered_bytes" doc:"How much request bodies may take in memory together, those of one account at most half of it; 0B: a quarter of GOMEMLIMIT, 256MiB without one."`
	MaxConnections  int           `mapstructure:"max_connections" doc:"How many connections callers may have open; the one that has rested longest makes room for a new one; 0: what the limit on open files allows."`
	MaxAttempts     int           `mapstructure:"max_attempts" doc:"How many upstream attempts one request may make over all its models, 1 to 100."`
	ShutdownTimeout time.Duration `mapstructure:"shutdown_timeout" doc:"How long requests and streams may go on after SIGTERM."`

	Inference InferenceConfig   `mapstructure:"inference" doc:"The listener that callers use."`
	Control   ControlConfig     `mapstructure:"control" doc:"The listener of the control API, /metrics and /readyz."`
	Upstream  UpstreamConfig    `mapstructure:"upstream" doc:"Connections to providers."`
	Stream    StreamConfig      `mapstructure:"stream" doc:"Streamed answers."`
	Media     MediaConfig       `mapstructure:"media" doc:"What is sent to and asked of endpoints of audio and images."`
	Proxy     ProxyConfig       `mapstructure:"proxy" doc:"Proxy mode, in which callers bring their own upstream credential (X-Relay-Proxy: 1)."`
	Limits    LimitsConfig      `mapstructure:"limits" doc:"What limits and budgets fall back to when they do not say."`
	State     StateConfig       `mapstructure:"state" doc:"Counters of limits."`
	Shared    SharedStateConfig `mapstructure:"shared_state" doc:"What several processes have in common."`
	Usage     UsageConfig       `mapstructure:"usage" doc:"The record of what was used."`
	Backup    BackupConfig      `mapstructure:"backup" doc:"Copies of the database that the running server makes."`
	Log       LogConfig         `mapstructure:"log" doc:"The log on stderr."`

	Auth  AuthConfig  `mapstructure:"auth" doc:"Signing in."`
	Audit AuditConfig `mapstructure:"audit" doc:"The record of who did what."`

	Authz          string   `mapstructure:"authz" oneof:"single,rbac" doc:"Who may do what: single, administrators everything and other users nothing; rbac, what role bindings say."`
	Discover       bool     `mapstructure:"discover" doc:"Take provider keys from the environment and look for model servers on this machine, now and every 30 s."`
	TrustedProxies []string `mapstructure:"trusted_proxies" doc:"Addresses and networks of proxies whose X-Forwarded-For is believed; not with inference.auth: open."`
	Domain         string   `mapstructure:"domain" doc:"The name under which callers reach Relay, such as llm.example; a loopback listener answers to it as well."`

	File       string          `mapstructure:"-"` // the file that was read, or ""
	Written    map[string]bool `mapstructure:"-"` // keys that a file, a variable or a flag gives; not those it leaves empty
	MasterKey  store.Secret    `mapstructure:"-"` // of RELAY_MASTER_KEY; goes before MasterKeyFile
	AdminToken store.Secret    `mapstructure:"-"` // of RELAY_ADMIN_TOKEN or its file
}

// InferenceConfig is the callers' listener.
type InferenceConfig struct {
	Listen            string        `mapstructure:"listen" doc:"Address and port; port 0 takes a free one."`
	Auth              string        `mapstructure:"auth" oneof:"key,open" doc:"Whether callers need a key: key, each sends one; open, those that send none run as service account local, on loopback listeners only and not through a proxy."`
	CORSOrigins       []string      `mapstructure:"cors_origins" doc:"Origins whose pages may call from a browser, such as https://app.example; * is every page of the web."`
	AllowedHosts      []string      `mapstructure:"allowed_hosts" doc:"Host names that requests may carry besides loopback ones, while the address is a loopback one."`
	ReadHeaderTimeout time.Duration `mapstructure:"read_header_timeout" doc:"How long a caller may take to send its headers."`
	BodyIdleTimeout   time.Duration `mapstructure:"body_idle_timeout" doc:"How long a body may pause while it is read."`
	BodyTimeout       time.Duration `mapstructure:"body_timeout" doc:"How long a whole body may take."`
}

// callerHosts are the names besides loopback ones to which the callers'
// listener answers while it is on a loopback address.
func (c *Config) callerHosts() []string {
	if c.Domain == "" {
		return c.Inference.AllowedHosts
	}
	return append(slices.Clone(c.Inference.AllowedHosts), c.Domain)
}

// open reports whether callers need no key.
func (c InferenceConfig) open() bool { return c.Auth == "open" }

// ControlConfig is the administrators' listener.
type ControlConfig struct {
	Listen       string     `mapstructure:"listen" doc:"Address and port, or off; the socket works without it. An address that is not a loopback one needs tls or behind_proxy."`
	TLS          ControlTLS `mapstructure:"tls" doc:"The certificate of this listener."`
	BehindProxy  bool       `mapstructure:"behind_proxy" doc:"Browsers reach it through a proxy that speaks TLS; needs trusted_proxies and allowed_hosts."`
	AllowedHosts []string   `mapstructure:"allowed_hosts" doc:"Host names that requests may carry besides loopback ones and those of the certificate."`
}

// UpstreamConfig is about connections to hosts.
type UpstreamConfig struct {
	DenyPrivate    bool `mapstructure:"deny_private" doc:"Refuse loopback and private addresses unless the host has allowPrivate."`
	MaxIdlePerHost int  `mapstructure:"max_idle_per_host" doc:"Idle connections kept to one host."`
}

// StreamConfig is about streamed answers.
type StreamConfig struct {
	KeepAlive   time.Duration `mapstructure:"keepalive" doc:"How long a streamed answer may keep its caller in silence before Relay sends a keep-alive; the first sends the status line too, after which no other key is tried. 0: never."`
	IdleTimeout time.Duration `mapstructure:"idle_timeout" doc:"How long an upstream may be silent before its answer is cut."`
}

// MediaConfig bounds audio and images.
type MediaConfig struct {
	MaxUploadBytes  Size `mapstructure:"max_upload_bytes" doc:"The largest file of a form; 0B: what max_request_bytes allows."`
	MaxAudioSeconds int  `mapstructure:"max_audio_seconds" doc:"The longest audio file, of those that tell their length (WAV), in seconds; 0: any."`
	MaxSpeechChars  int  `mapstructure:"max_speech_chars" doc:"The longest text to be spoken, in characters; 0: any."`
}

// ProxyConfig is about proxy mode.
type ProxyConfig struct {
	Enabled        bool `mapstructure:"enabled" doc:"Whether it is on; setting proxy says so at run time unless it is written here."`
	AllowAnonymous bool `mapstructure:"allow_anonymous" doc:"Whether callers without a relay key may use it, under limit inference-api-proxy-anonymous; setting proxy likewise."`
}

// keptPatience is how long a request waits for its reserve to be on disk.
const keptPatience = 5 * time.Second

// StateConfig is about counters.
type StateConfig struct {
	Backend          string        `mapstructure:"backend" doc:"Where they are kept: memory, each process counts for itself."`
	SnapshotInterval time.Duration `mapstructure:"snapshot_interval" doc:"How often changed counters are written at least, 100ms to 1m."`
}

// UsageConfig is about usage events.
type UsageConfig struct {
	FlushInterval time.Duration `mapstructure:"flush_interval" doc:"How often recorded usage is written, 1ms to 10s."`
	Queue         Size          `mapstructure:"queue" doc:"How much usage may wait to be written."`
	OnFull        string        `mapstructure:"on_full" oneof:"refuse,continue" doc:"What happens to requests while the queue is full: refuse, or continue unrecorded."`
	Durability    string        `mapstructure:"durability" oneof:"normal,strict" doc:"Whether an answer waits until its usage is on disk: normal, it does not; strict, its last byte does, and it is cut after 5s."`
}

// strictPatience is how long an answer waits for its usage event to be on disk.
const strictPatience = 5 * time.Second

// patience returns how long answers wait; 0: they do not.
func (c UsageConfig) patience() time.Duration {
	if c.Durability == "strict" {
		return strictPatience
	}
	return 0
}

// BackupConfig is about backups that the running server makes by itself.
type BackupConfig struct {
	Every time.Duration `mapstructure:"every" doc:"How long after the last backup another one is made, 1m to 366d, or 0 for none."`
	Keep  int           `mapstructure:"keep" doc:"How many are kept, 1 to 1000; older ones are removed."`
	Dir   string        `mapstructure:"dir" doc:"Where they lie; empty: backups in the data directory."`
}

// LogConfig is about the log.
type LogConfig struct {
	Level  string `mapstructure:"level" oneof:"trace,debug,info,warn,error" doc:"trace, debug, info, warn or error."`
	Format string `mapstructure:"format" oneof:"auto,json,text" doc:"json, text, or auto: text on a terminal."`
}

// DefaultConfig returns the configuration of a process that was told nothing.
func DefaultConfig() Config {
	return Config{
		Authz:           "single",
		Discover:        true,
		MaxInFlight:     1024,
		MaxRequestBytes: 32 << 20,
		MaxAttempts:     6,
		ShutdownTimeout: 30 * time.Second,
		Inference: InferenceConfig{
			Listen:            "127.0.0.1:8080",
			Auth:              "key",
			ReadHeaderTimeout: 10 * time.Second,
			BodyIdleTimeout:   30 * time.Second,
			BodyTimeout:       5 * time.Minute,
		},
		Control:  ControlConfig{Listen: "127.0.0.1:8081"},
		Auth:     AuthConfig{OIDC: OIDCConfig{Registration: "closed"}, SessionIdle: 12 * time.Hour, SessionMax: 7 * 24 * time.Hour},
		Audit:    AuditConfig{Retention: 365 * 24 * time.Hour},
		Upstream: UpstreamConfig{MaxIdlePerHost: 1024},
		Stream:   StreamConfig{KeepAlive: 15 * time.Second, IdleTimeout: 10 * time.Minute},
		Media:    MediaConfig{MaxUploadBytes: 25 << 20, MaxSpeechChars: 4096},
		Limits:   LimitsConfig{Profile: "default", Timezone: "UTC", Restart: "normal"},
		State:    StateConfig{Backend: "memory", SnapshotInterval: time.Second},
		Usage:    UsageConfig{FlushInterval: 100 * time.Millisecond, Queue: 32 << 20, OnFull: "refuse", Durability: "normal"},
		Backup:   BackupConfig{Every: 24 * time.Hour, Keep: 7},
		Log:      LogConfig{Level: "info", Format: "auto"},
	}
}

// LoadConfig reads the configuration: flags before environment before file
// before defaults. file is the path of --config, or "" to look in the usual
// places; flags are texts by key. The error lists every fault with its key and
// where it was written.
func LoadConfig(file string, flags map[string]string, env Environment) (Config, error) {
	cfg, _, err := loadConfig(file, flags, env)
	return cfg, err
}

// loadConfig also returns the settings that were made, with their origins.
func loadConfig(file string, flags map[string]string, env Environment) (Config, settings, error) {
	leaves := configLeaves()
	path, err := findConfigFile(file, env)
	if err != nil {
		return Config{}, nil, err
	}
	fromFile, faults := readConfigFile(path, leaves, env)
	fromEnv, more := readConfigEnv(leaves, env)
	faults = append(faults, more...)
	fromFlags, more := readConfigFlags(leaves, flags)
	faults = append(faults, more...)
	if len(faults) > 0 {
		return Config{}, nil, &configError{faults}
	}
	cfg, err := mergeConfig(leaves, fromFile, fromEnv, fromFlags)
	if err != nil {
		return Config{}, nil, err
	}
	origins := maps.Clone(fromFile)
	maps.Copy(origins, fromEnv)
	maps.Copy(origins, fromFlags)
	cfg.File, cfg.Written = path, origins.written()
	cfg, err = cfg.complete(env, origins)
	return cfg, origins, err
}

// mergeConfig lays the sources over each other, the weakest first.
func mergeConfig(leaves []configLeaf, fromFile, fromEnv, fromFlags settings) (Config, error) {
	v := viper.New()
	for _, leaf := range leaves {
		v.SetDefault(leaf.key, leaf.value)
	}
	for _, source := range []settings{fromFile, fromEnv} {
		if err := v.MergeConfigMap(source.nested()); err != nil {
			return Config{}, fmt.Errorf("merge configuration: %w", err)
		}
	}
	for key, s := range fromFlags {
		v.Set(key, s.value)
	}
	var cfg Config
	err := v.UnmarshalExact(&cfg, func(c *mapstructure.DecoderConfig) { c.DecodeHook = decodeHook() })
	if err != nil {
		return Config{}, fmt.Errorf("decode configuration: %w", err)
	}
	return cfg, nil
}

// complete reads the secrets, fills in what depends on other keys, and checks
// the whole.
func (c Config) complete(env Environment, origins settings) (Config, error) {
	var err error
	c.MasterKey = env.secret("RELAY_MASTER_KEY")
	if c.AdminToken, err = env.secretOrFile("RELAY_ADMIN_TOKEN"); err != nil {
		return Config{}, err
	}
	if c.Auth.OIDC.ClientSecret, err = env.secretAside("RELAY_AUTH_OIDC_CLIENT_SECRET", c.Auth.OIDC.ClientSecret); err != nil {
		return Config{}, err
	}
	if err := c.resolvePaths(env); err != nil {
		return Config{}, err
	}
	if faults := c.check(origins); len(faults) > 0 {
		return Config{}, &configError{faults}
	}
	return c, nil
}

// resolvePaths makes the paths absolute and derives those that were left out.
func (c *Config) resolvePaths(env Environment) error {
	if c.DataDir == "" {
		dir, err := env.dataHome()
		if err != nil {
			return err
		}
		c.DataDir = filepath.Join(dir, "relay")
	}
	for _, path := range []*string{&c.DataDir, &c.ConfigDir, &c.MasterKeyFile, &c.Socket, &c.Backup.Dir, &c.Control.TLS.CertFile, &c.Control.TLS.KeyFile, &c.Audit.File} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(env.expandHome(*path))
		if err != nil {
			return faultf("resolve path %s: %v", *path, err)
		}
		*path = abs
	}
	if c.MasterKeyFile == "" {
		c.MasterKeyFile = filepath.Join(c.DataDir, "master.key")
	}
	if c.Socket == "" {
		c.Socket = filepath.Join(c.DataDir, "relay.sock")
	}
	if c.Backup.Dir == "" {
		c.Backup.Dir = filepath.Join(c.DataDir, "backups")
	}
	return nil
}
