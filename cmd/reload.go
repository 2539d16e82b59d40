package cmd

import (
	"context"
	"os"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/rs/zerolog"

	"relay/store"
)

// logLevel is the level of a log, which may change while it is written. It is
// safe for concurrent use.
type logLevel struct{ atomic.Int32 }

func newLogLevel(text string) *logLevel {
	l := &logLevel{}
	l.set(text)
	return l
}

func (l *logLevel) set(text string) {
	level, err := zerolog.ParseLevel(text)
	if err != nil {
		level = zerolog.InfoLevel
	}
	l.Store(int32(level))
}

// Sample lets lines of the level and above through.
func (l *logLevel) Sample(level zerolog.Level) bool { return int32(level) >= l.Load() }

// reloadable are the keys that SIGHUP changes in a running process. Manifests
// and the files of certificates are read again as well.
func reloadable() []string { return []string{"log.level", "config_dir"} }

// reloader reads the configuration again while a process runs. It is for one
// goroutine.
type reloader struct {
	*process
	read    func() (Config, error)
	env     Environment
	level   *logLevel
	present Config // in use, as far as it has been taken over
}

// run reloads at every SIGHUP until ctx ends or the process stops.
func (r *reloader) run(ctx context.Context, hangups <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.stop:
			return
		case <-hangups:
			r.reload(ctx)
		}
	}
}

// reload reads the configuration and the manifests of config_dir again and takes
// over what a running process can. When anything is wrong, all stays as it was,
// which the log and /readyz tell until a reload succeeds.
func (r *reloader) reload(ctx context.Context) {
	next, err := r.read()
	if err == nil && r.certificate != nil {
		err = r.certificate.reload()
	}
	if err == nil {
		err = r.applyConfigDir(ctx, next.ConfigDir, r.env)
	}
	if err != nil {
		r.stale.Store(&store.Problem{Message: "the last reload changed nothing: " + message(err)})
		r.log.Error().Str("fault", message(err)).Msg("reload refused; what was in use stays")
		return
	}
	r.stale.Store(nil)
	r.level.set(next.Log.Level)
	r.log.Info().Strs("needs_restart", restartKeys(r.present, next)).Msg("reloaded")
	r.present.Log.Level, r.present.ConfigDir = next.Log.Level, next.ConfigDir
}

// restartKeys lists the keys whose new value a running process does not take.
func restartKeys(present, next Config) []string {
	keys := []string{}
	was := leavesOf(reflect.ValueOf(present), "")
	for i, leaf := range leavesOf(reflect.ValueOf(next), "") {
		if !reflect.DeepEqual(leaf.value, was[i].value) && !slices.Contains(reloadable(), leaf.key) {
			keys = append(keys, leaf.key)
		}
	}
	return keys
}

// reload reads the files whether or not they seem to have changed. Files that
// are not right leave the former certificate in use.
func (c *certificate) reload() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(); err != nil {
		return faultf("control.tls: %v", err)
	}
	return nil
}
