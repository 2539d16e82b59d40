// Package limitertest is the contract that every limiter passes: the one in
// memory, and any that keeps its counters elsewhere.
//
//	func TestContract(t *testing.T) {
//		limitertest.Run(t, limitertest.Suite{New: limitertest.NewMemory})
//	}
//
// Run drives a backend through random traces and compares every verdict, named
// rule, wait and count with a Model: slow counters that keep every charge and
// are written from limits.md, not from the code. It holds sliding windows
// and bookings against naive logs, waits out every Retry-After, refuses in every
// order of rules, ends tickets twice and at once, corrects bookings in every way
// and at every age, and checks histories of many goroutines for an order in
// which a single one could have done the same.
//
// A Trace is plain data. Play runs it on a backend, Expect on the model, and
// Differ on two backends, which must tell no difference. What fails is cut
// down to the steps that matter before it is printed.
//
// What the package needs of a backend stands at Backend. It knows no clock:
// every reading is an argument, so a backend that has a clock of its own must
// be told to count by the one it is given.
package limitertest
