package cmd

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/catalogdata"
)

// engine is the store with what turns its catalog into plans. A server and a
// command line without one use it alike.
type engine struct {
	db       *store.DB
	registry *limiter.Registry
	memory   *limiter.Memory
	clock    *limiter.Clock
	cfg      Config
	restart  string            // the switch limits.restart that holds until the process ends
	shipped  *catalogdata.Data // the embedded catalogue, once ship has run

	catalogue *catalogue // the one in place, likewise

	log      zerolog.Logger
	counted  time.Time // when the last run last wrote its counters; zero: never
	warnings atomic.Pointer[[]store.Problem]
	stale    atomic.Pointer[store.Problem] // why the last reload changed nothing; nil: it did
	plan     atomic.Pointer[plan.Plan]
	recompil sync.Mutex
	use      func(*plan.Plan) // what takes a plan besides the engine; may be nil
}

// openEngine opens the data directory and restores the counters. Plans are
// made once compile is called.
func openEngine(cfg Config, env Environment, log zerolog.Logger) (*engine, error) {
	audit := &auditFile{path: cfg.Audit.File, log: log}
	if err := audit.check(); err != nil {
		return nil, err
	}
	db, err := store.Open(store.Options{
		Dir: cfg.DataDir, MasterKey: cfg.MasterKey, MasterKeyFile: cfg.MasterKeyFile,
		BackupDir: cfg.Backup.Dir, Getenv: env.get, Log: log, OnAudit: audit.put, RefuseLimits: cfg.refuseLimits,
		FlushInterval: cfg.Usage.FlushInterval, QueueBytes: int64(cfg.Usage.Queue), SnapshotInterval: cfg.State.SnapshotInterval,
	})
	if err != nil {
		return nil, err
	}
	e := &engine{db: db, registry: limiter.NewRegistry(), clock: limiter.NewClock(nil), cfg: cfg, log: log, restart: cfg.limits(db.Catalog()).Restart}
	e.memory = limiter.NewMemory(e.registry)
	if err := e.restore(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return e, nil
}

// restore puts the counters of the last run back: first the clock they were
// counted by, then each counter. One that cannot be read starts anew and is
// told.
func (e *engine) restore() error {
	states := map[string][]byte{}
	err := e.db.Counters(func(name string, state []byte) error {
		states[name] = append([]byte(nil), state...)
		return nil
	})
	if err != nil {
		return err
	}
	if state, ok := states[limiter.ClockName]; ok {
		v, wall, err := limiter.ParseClockState(state)
		if err != nil {
			return &store.Error{Code: store.CodeDamaged, Message: "read the limiter's clock from the database", Err: err}
		}
		e.clock.Restore(v, wall)
		e.counted = wall
		delete(states, limiter.ClockName)
	}
	now := e.clock.Now()
	for name, state := range states {
		if err := e.memory.Restore(now, name, state); err != nil {
			e.log.Error().Str("counter", name).Err(err).Msg("counter cannot be restored and starts anew")
		}
	}
	return nil
}

// compile makes the first plan and every later one.
func (e *engine) compile(use func(*plan.Plan)) {
	e.use = use
	e.recompile()
}

func (e *engine) recompile() {
	e.recompil.Lock()
	defer e.recompil.Unlock()
	e.db.SetCompiler(e.compiler)
}

// compiler makes a plan of a candidate catalog. What is wrong with it as a
// whole the store has found before; the plan only warns.
func (e *engine) compiler(next *store.Catalog) (swap func(), problems []store.Problem) {
	limits := e.cfg.limits(next)
	p := plan.Compile(plan.Input{
		Catalog: next, Registry: e.registry, KeyValue: e.db.HostKeyValue,
		Switches: limits.switches(), Timezone: limits.Timezone, Open: e.cfg.Inference.open(),
		Proxy: e.cfg.proxy(), RBAC: e.cfg.Authz == "rbac",
	})
	return func() {
		e.warnings.Store(&p.Warnings)
		e.plan.Store(p)
		if e.use != nil {
			e.use(p)
		}
		e.registry.Sweep(p.Generation, e.clock.Now())
	}, nil
}

func limitHeaders(text string) gateway.LimitHeaders {
	switch text {
	case "rejections":
		return gateway.LimitHeadersRejections
	case "all":
		return gateway.LimitHeadersAll
	}
	return gateway.LimitHeadersOff
}

func atCap(text string) limiter.AtCap {
	if text == "refuse" {
		return limiter.RefuseAtCap
	}
	return limiter.AdmitAtCap
}

// keeping makes requests wait for the disk where a restart must never let more
// through than limits allow.
func (e *engine) keeping() gateway.Keeping {
	if e.restart != "never-over" {
		return gateway.Keeping{}
	}
	return gateway.Keeping{Await: e.memory.AwaitKept, Patience: keptPatience}
}

// Warnings returns what the present plan warns of, and how the last run ended
// when that was not as it should.
func (e *engine) Warnings() []store.Problem {
	all := clockWarnings(time.Now(), builtAt())
	if stop := e.db.UncleanStop(); stop != nil {
		all = append(all, store.Problem{Message: stop.String()})
	}
	if e.catalogue != nil {
		all = append(all, e.catalogue.warnings()...)
	}
	if w := e.warnings.Load(); w != nil {
		all = append(all, *w...)
	}
	if fault := e.stale.Load(); fault != nil {
		all = append(all, *fault)
	}
	return append(all, e.cfg.settingWarnings(e.db.Catalog(), e.restart)...)
}

// counterReader tells administrators what the counters stand at.
type counterReader struct{ e *engine }

func (r counterReader) Len() int { return r.e.registry.Len() }

func (r counterReader) AsOf() time.Time { return r.e.counted }

func (r counterReader) Read(c *limiter.Counter) limiter.Reading {
	return r.e.memory.Read(r.e.clock.Now(), c)
}

func (r counterReader) Judge(limits []*limiter.Limit) limiter.Refusal {
	return r.e.memory.Judge(r.e.clock.Now(), limits)
}

// counterSource gives the store the limiter's snapshots.
type counterSource struct{ e *engine }

func (s counterSource) Snapshot(put func(name string, state []byte)) (through uint64) {
	return s.e.memory.Snapshot(s.e.clock.Now(), put)
}

func (s counterSource) Dirty() bool { return s.e.memory.Dirty() }

func (s counterSource) Wanted() <-chan struct{} { return s.e.memory.Wanted() }

func (s counterSource) Kept() { s.e.memory.Kept() }

// keyFiles tells when each key file was last seen to change.
func (e *engine) keyFiles() map[string]time.Time {
	seen := map[string]time.Time{}
	for k := range e.db.Catalog().HostKeys.All() {
		if path := k.Spec.Source.Path; k.Spec.Source.Kind == "file" {
			if info, err := os.Stat(path); err == nil {
				seen[path] = info.ModTime()
			} else {
				seen[path] = time.Time{}
			}
		}
	}
	return seen
}
