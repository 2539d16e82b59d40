// Package matrix_test lets every official SDK call upstreams of every shape
// through a running relay serve, and looks at both ends: what the SDK's own types
// say, and what a particular provider has been sent.
package matrix_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"

	"relay/testdata/e2e/rig"
	"relay/testdata/e2e/strict"
)

// bench is what all tests have in common: a running Relay, the providers behind
// it, a key, and the table that is printed in the end.
var bench struct {
	relay     *rig.Relay
	providers *strict.Server
	key       string
	table     *table
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	bench.providers = strict.New(models()...)
	server := httptest.NewServer(bench.providers)
	defer server.Close()
	relay, err := rig.Start()
	if err == nil {
		bench.relay = relay
		bench.key, err = strict.Connect(relay, server.URL)
	}
	code := 1
	if err == nil {
		code = m.Run()
	}
	if bench.table != nil {
		fmt.Println(bench.table)
	}
	if relay != nil {
		if closed := relay.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// rests is how many models there are that may be told to come back later: a key
// rests for such a model alone.
const rests = 60

func models() []string {
	names := []string{"mini"}
	for i := range rests {
		names = append(names, "rests"+strconv.Itoa(i))
	}
	return names
}

func shapes() []string { return strict.Shapes() }

// connection is what an SDK calls a model with.
func connection(model string) setup {
	return setup{url: bench.relay.URL, key: bench.key, model: model, http: &http.Client{Transport: http.DefaultTransport}}
}
