package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/store"
)

// An event that is longer than what is held of one goes on in pieces before
// anybody knows whether it is an error: the key is in none of them, wherever in
// the event it stands.
func TestSecrets_AnErrorThatComesInPiecesShowsTheKeyToNobody(t *testing.T) {
	for _, k := range streamKinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.canaries(t)
			key := r.key("laptop", store.RelayKeySpec{})
			for _, before := range []int{10, 61_300, 61_370, 61_420, 65_400, 65_500, 70_000, 99_000} {
				for form, said := range forms(canary) {
					pad := strings.Repeat("x", before)
					for shape, event := range map[string]string{
						"an error":         `{"error":{"message":"` + pad + said + strings.Repeat("y", 100_000) + `"}}`,
						"an error behind":  `{"detail":"` + pad + `","error":{"message":"` + said + `","more":"` + strings.Repeat("y", 100_000) + `"}}`,
						"an error's cause": `{"detail":"` + pad + said + strings.Repeat("y", 100_000) + `","error":{"message":"no"}}`,
					} {
						up.Otherwise(k.streams(k.answer(7, 3)[0], k.before+event+k.behind))
						a := r.ask(k, key)
						findSecret(t, fmt.Sprintf("%s, %s behind %d bytes", shape, form, before), a.Body, canary)
					}
				}
			}
		})
	}
}
