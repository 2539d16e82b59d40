package rig

import (
	"fmt"
	"os"
)

// Main starts a connected relay with settings, runs tests and returns what their
// process exits with. relay is set before the tests run.
func Main(run func() int, relay **Relay, settings ...string) (code int) {
	r, err := Start(settings...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*relay = r
	defer func() {
		if err := r.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	if err := r.Connect(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}
