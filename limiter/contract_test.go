package limiter_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"relay/limiter/limitertest"
)

// TestMain lets every property, those of rapid included, be tried 10,000 times
// unless -short or -rapid.checks says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "rapid.checks" })
	if !told {
		if err := flag.Set("rapid.checks", fmt.Sprint(seeds())); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// seeds is how many random cases a property is tried with.
func seeds() uint64 {
	if testing.Short() {
		return 500
	}
	return 10_000
}

func TestMemory_PassesTheContract(t *testing.T) {
	limitertest.Run(t, limitertest.Suite{New: limitertest.NewMemory})
}
