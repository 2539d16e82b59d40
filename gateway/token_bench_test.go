package gateway_test

import (
	"net/http"
	"testing"

	"relay/store"
)

// BenchmarkCredential finds the caller of a relay key, of one beside a vendor's
// token, and of an inference token that has been seen.
func BenchmarkCredential(b *testing.B) {
	r := newRig(b)
	r.user("maria")
	key := r.key("laptop", store.RelayKeySpec{})
	text, _ := r.mint("maria", "bots")
	for name, h := range map[string]http.Header{
		"key":                {"Authorization": {"Bearer " + key}},
		"key beside a token": {"Authorization": {"Bearer " + foreignToken()}, "X-Api-Key": {key}},
		"token":              {"Authorization": {"Bearer " + text}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !r.server.Recognises(h) {
					b.Fatal("not recognised")
				}
			}
		})
	}
}
