package gateway_test

import (
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

func TestResetKey_LetsARefusedKeyBeTriedAgain(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.JSON(401, upstreamError))
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	r.want(r.call(key, chatBody), 502, "upstream_auth")
	id := r.db.Catalog().HostKeys.ByName("up-1").Metadata.ID
	if state := r.server.KeyStates()[id]; state.State != "open" {
		t.Fatalf("after a 401 the key is %+v", state)
	}
	if !r.server.ResetKey(id) {
		t.Fatal("the key is not known")
	}
	if state := r.server.KeyStates()[id]; state.State != "closed" || state.Reason != "" {
		t.Errorf("after the reset the key is %+v", state)
	}
	r.want(r.call(key, chatBody), 200, "hello")
	if r.server.ResetKey("00000000-0000-0000-0000-000000000000") {
		t.Error("a key that nobody has was reset")
	}
}
