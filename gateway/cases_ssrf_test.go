package gateway_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// forbidden are spellings of addresses that no upstream has, some of which
// resolvers and translators alone understand, and names that lead there.
func forbidden() []string {
	return []string{
		// the metadata service, in every way that C libraries read
		"169.254.169.254", "169.254.169.254.", "2852039166", "2852039166.", "0xA9FEA9FE", "025177524776",
		"0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "0xa9.254.0251.254", "169.254.43518", "169.254.0xa9fe", "169.16689662",
		"00000251.0376.169.254", "0x00000000a9fea9fe",
		// and inside IPv6 addresses
		"[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::169.254.169.254]", "[::a9fe:a9fe]",
		"[64:ff9b::169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "[64:ff9b:1:a9fe:a9:fe00::]", "[::ffff:0:a9fe:a9fe]",
		"[2002:a9fe:a9fe::]", "[2002:a9fe:a9fe::1]", "[2001:0:a9fe:a9fe::]", "[2001:0:4136:e378:8000:63bf:5601:5601]",
		"[fd12::5efe:a9fe:a9fe]", "[fd12::200:5efe:169.254.169.254]",
		// other metadata services
		"[fd00:ec2::254]", "[fd00:0ec2:0000::0254]", "[fd20:ce::254]", "[fd00:ec2::254%25lo]", "[fd20:ce::254%25lo]", "100.100.100.200", "1684301000", "[::ffff:100.100.100.200]",
		"168.63.129.16", "192.0.0.192", "169.254.170.2",
		// link-local
		"169.254.0.1", "[fe80::1]", "[fe80::1%25lo]", "[febf::a9fe:a9fe%251]", "[64:ff9b::169.254.0.1]",
		// nowhere, which on Linux is here
		"0.0.0.0", "0", "0x0", "0.0.0.0.", "0.1.2.3", "[::]", "[0:0:0:0:0:0:0:0]", "[::ffff:0.0.0.0]", "[64:ff9b::]", "[2002::]",
		// everybody
		"224.0.0.1", "239.255.255.250", "0xe0000001", "[ff02::1]", "[ff0e::1]", "[ff02::1%25lo]", "255.255.255.255", "4294967295",
		"[::ffff:255.255.255.255]", "[2002:ffff:ffff::]",
		// names
		"metadata.google.internal", "metadata.google.internal.", "instance-data", "innocent.test", "innocent.test.", "INNOCENT.test", "innocent6.test", "both.test",
	}
}

// names are what the resolver knows besides numbers.
func names() map[string][]string {
	return map[string][]string{
		"metadata.google.internal": {"169.254.169.254"}, "instance-data": {"169.254.169.254"},
		"innocent.test": {"169.254.169.254"}, "innocent6.test": {"fd00:ec2::254"}, "both.test": {"0.0.0.0", "64:ff9b::a9fe:a9fe"},
		"here.test": {"127.0.0.1"}, "either.test": {"169.254.169.254", "127.0.0.1"},
	}
}

// probe asks an upstream at that host for its models, without the checks of the
// catalogue.
func probe(t *testing.T, p *gateway.Prober, host, port string, change ...func(*store.HostSpec)) error {
	t.Helper()
	p.Resolver = &net.Resolver{PreferGo: true, Dial: answerNames}
	spec := store.HostSpec{BaseURL: "http://" + host + ":" + port + "/v1", Auth: "bearer"}
	for _, c := range change {
		c(&spec)
	}
	_, err := p.ListModels(context.Background(), &store.Host{Metadata: store.Metadata{Name: "probed"}, Spec: spec}, store.NewSecret("secret"))
	return err
}

func wantRefused(t *testing.T, host string, err error) {
	t.Helper()
	if err != nil && (strings.Contains(host, ":") && !hasIPv6() || isNumber(host) && strings.Contains(err.Error(), "its name does not resolve")) {
		return // the machine has refused it first
	}
	if err == nil || !strings.Contains(err.Error(), "its address is not allowed") {
		t.Errorf("%s: got %v, want its address to be refused", host, err)
	}
}

// isNumber tells what Go's resolver never asks for, other than those of C
// libraries.
func isNumber(host string) bool { return strings.Trim(host, "0123456789.") == "" }

func hasIPv6() bool {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

var modelList = gatewaytest.JSON(200, `{"data":[{"id":"m"}]}`)

func TestSSRF_NoSpellingLeadsToAForbiddenAddress(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(modelList)
	_, port, _ := net.SplitHostPort(up.Addr())
	for _, host := range forbidden() {
		wantRefused(t, host, probe(t, new(gateway.Prober), host, port))
	}
	if n := up.Connections(); n != 0 {
		t.Errorf("%d connections have been made to the loopback listener", n)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "here.test", "either.test"} {
		err := probe(t, new(gateway.Prober), host, port)
		if isNumber(host) && err != nil && strings.Contains(err.Error(), "its name does not resolve") {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// What the catalogue takes all the same is refused when a call comes, and no
// key leaves; an upstream on this machine serves all the while.
func TestSSRF_TheCatalogueOrTheDialRefuses(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	odd := put(r, "odd", store.HostSpec{BaseURL: up.URL() + "/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}})
	put(r, "odd-1", store.HostKeySpec{HostID: odd.Metadata.ID, Source: store.KeySource{Kind: "env", Env: "ODD"}})
	put(r, "odd", store.HostBindingSpec{ModelID: put(r, "odd", store.ModelSpec{}).Metadata.ID, HostID: odd.Metadata.ID})
	oddBody := strings.Replace(chatBody, `"chat"`, `"odd"`, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	r.want(r.call(key, oddBody), 200, "hello")
	_, port, _ := net.SplitHostPort(up.Addr())
	written := 0
	for _, host := range forbidden() {
		if _, named := names()[strings.ToLower(strings.TrimSuffix(host, "."))]; named || !moved(r, "odd", "http://"+host+":"+port+"/v1") {
			continue
		}
		written++
		before := up.Connections()
		a := r.call(key, oddBody)
		if a.Status != 502 || !strings.Contains(a.Body, "cannot be reached") || hasIPv6() && !strings.Contains(a.Body, "its address is not allowed") || strings.Contains(a.Body, "secret-of") {
			t.Errorf("%s: got %d %s", host, a.Status, a.Body)
		}
		if n := up.Connections(); n != before {
			t.Errorf("%s: a connection has been made", host)
		}
		r.want(r.call(key, chatBody), 200, "hello")
	}
	if written < 5 {
		t.Errorf("the catalogue has taken %d of them, fewer than only a dial can refuse", written)
	}
}

// moved gives a host another address, unless the catalogue refuses it.
func moved(r *rig, name, base string) bool {
	rec := &store.Host{Metadata: r.db.Catalog().Hosts.ByName(name).Metadata, Spec: r.db.Catalog().Hosts.ByName(name).Spec}
	rec.Spec.BaseURL, rec.Spec.Insecure = base, true
	_, err := r.db.Write(func(e *store.Edit) error { return e.Put(rec) })
	return err == nil
}

func TestSSRF_RelaysOwnListenersAreNoUpstreams(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(modelList)
	at := netip.MustParseAddrPort(up.Addr())
	_, port, _ := net.SplitHostPort(up.Addr())
	own := map[string]netip.AddrPort{
		"its address": at, "any IPv4": netip.AddrPortFrom(netip.IPv4Unspecified(), at.Port()), "any IPv6": netip.AddrPortFrom(netip.IPv6Unspecified(), at.Port()),
		"mapped": netip.AddrPortFrom(netip.AddrFrom16(at.Addr().As16()), at.Port()),
	}
	for name, listener := range own {
		p := &gateway.Prober{Own: func() []netip.AddrPort { return []netip.AddrPort{listener} }}
		for _, host := range []string{"127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "here.test", "either.test"} {
			if err := probe(t, p, host, port); err == nil {
				t.Errorf("%s: %s leads to it", name, host)
			}
		}
		if listener.Addr().IsUnspecified() {
			for _, host := range machineAddresses(t) {
				wantRefused(t, host, probe(t, p, host, port))
			}
		}
	}
	if n := up.Connections(); n != 0 {
		t.Errorf("%d connections have been made", n)
	}
	other := &gateway.Prober{Own: func() []netip.AddrPort { return []netip.AddrPort{netip.AddrPortFrom(at.Addr(), at.Port()^1)} }}
	if err := probe(t, other, "127.0.0.1", port); err != nil {
		t.Errorf("another port: %v", err)
	}
}

// machineAddresses are those of this machine as hosts of URLs, loopback among
// them.
func machineAddresses(t *testing.T) (hosts []string) {
	t.Helper()
	networks, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range networks {
		addr := netip.MustParsePrefix(network.String()).Addr()
		if addr.Is6() {
			hosts = append(hosts, "["+addr.String()+"]")
		} else {
			hosts = append(hosts, addr.String())
		}
	}
	return hosts
}

func TestSSRF_PrivateAddressesAreRefusedWhereTheyAreDenied(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(modelList)
	_, port, _ := net.SplitHostPort(up.Addr())
	for _, host := range append(forbidden(), "127.0.0.1", "localhost", "127.1", "2130706433", "0177.0.0.1", "127.8.8.8", "[::1]", "[::ffff:127.0.0.1]",
		"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.20", "100.64.0.1", "0xc0a80101", "[fd12::1]", "[64:ff9b::10.0.0.1]", "[64:ff9b::7f00:1]",
		"[64:ff9b:1::c0a8:101]", "[2002:a00:1::]", "[::ffff:0:10.0.0.1]", "here.test", "either.test") {
		wantRefused(t, host, probe(t, &gateway.Prober{DenyPrivate: true}, host, port))
	}
	if n := up.Connections(); n != 0 {
		t.Errorf("%d connections have been made", n)
	}
	allow := func(s *store.HostSpec) { s.AllowPrivate = true }
	if err := probe(t, &gateway.Prober{DenyPrivate: true}, "127.0.0.1", port, allow); err != nil {
		t.Errorf("a host that may be private: %v", err)
	}
	for _, host := range forbidden() {
		wantRefused(t, host, probe(t, &gateway.Prober{DenyPrivate: true}, host, port, allow))
	}
}
