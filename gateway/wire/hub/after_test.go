package hub_test

import (
	"bytes"
	"testing"

	"relay/gateway/wire/hub"
)

func TestAfter_FindsWhatAPlainSearchFinds(t *testing.T) {
	const text, rare = `ab_c`, 2
	for _, body := range []string{``, `_`, `ab`, `ab_`, `b_c`, `ab_c`, `ab_cd`, `_ab_c`, `__ab_cab_c!`, `ab_ab_c`, `ab__c`, `aab_c_`, `xab_c` + "\xff"} {
		_, want, has := bytes.Cut([]byte(body), []byte(text))
		if rest, found := hub.After([]byte(body), text, rare); found != has || found && string(rest) != string(want) {
			t.Errorf("%q: %q %v, want %q %v", body, rest, found, want, has)
		}
	}
}
