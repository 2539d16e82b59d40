package hub_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

func TestUserWithin_IsADigestWhereTheUserIsTooLong(t *testing.T) {
	const digest = `"ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"` // of 64 times a
	for user, want := range map[string]string{
		"": "", `"u-1"`: `"u-1"`,
		`"` + strings.Repeat("a", 63) + `"`:      `"` + strings.Repeat("a", 63) + `"`,
		`"` + strings.Repeat(`\u00e4`, 63) + `"`: `"` + strings.Repeat(`\u00e4`, 63) + `"`,
		`"` + strings.Repeat("a", 64) + `"`:      digest,
		`"` + strings.Repeat(`\u0061`, 64) + `"`: digest,
	} {
		r := &hub.Request{}
		r.Set(hub.User, "user", []byte(user))
		if got := string(r.UserWithin(63)); got != want {
			t.Errorf("%s became %s", user, got)
		}
	}
}
