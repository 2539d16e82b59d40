package cmd_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relay/store"
)

// certify writes a certificate for relay.example and 127.0.0.1, and its key.
func certify(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "relay"}, IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"relay.example"}, IPAddresses: []net.IP{net.ParseIP("127.0.0.1")},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(cert)
	return pemFile(t, "CERTIFICATE", der), pemFile(t, "PRIVATE KEY", private), roots
}

func pemFile(t *testing.T, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestControl_SpeaksTLSUnderTheNamesOfItsCertificate(t *testing.T) {
	certFile, keyFile, roots := certify(t)
	dir := dataDir(t)
	s := startServing(t, dir, map[string]string{"RELAY_CONTROL_TLS_CERT_FILE": certFile, "RELAY_CONTROL_TLS_KEY_FILE": keyFile})
	if !strings.HasPrefix(s.control.url, "https://127.0.0.1:") {
		t.Fatalf("control is at %s", s.control.url)
	}
	link := s.relay("", "setup", "--link").stdout
	if !strings.HasPrefix(link, s.control.url+"#setup=") {
		t.Errorf("the link is %s", link)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	call := func(method, path, host, body string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(s.control.url, "/")+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		answer, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer
	}
	if got := call("GET", "/api/session", "evil.example", "").StatusCode; got != http.StatusMisdirectedRequest {
		t.Errorf("another name: %d", got)
	}
	if got := call("GET", "/metrics", "relay.example", "").StatusCode; got != http.StatusUnauthorized {
		t.Errorf("metrics for strangers: %d", got)
	}
	_, secret, _ := strings.Cut(strings.TrimSpace(link), "#setup=")
	made := call("POST", "/api/setup", "relay.example", `{"setup":"`+secret+`","username":"maria","password":"correct horse"}`)
	cookies := made.Cookies()
	if made.StatusCode != http.StatusCreated || len(cookies) != 1 || !strings.HasPrefix(cookies[0].Name, "__Host-") || !cookies[0].Secure {
		t.Errorf("%d, cookies %v", made.StatusCode, cookies)
	}
}

func TestControl_WithACertificateThatIsNoneDoesNotStart(t *testing.T) {
	nothing := write(t, "not a certificate")
	env := map[string]string{
		"HOME": t.TempDir(), "RELAY_DATA_DIR": dataDir(t), "RELAY_DISCOVER": "false", "RELAY_INFERENCE_LISTEN": "127.0.0.1:0",
		"RELAY_CONTROL_LISTEN": "127.0.0.1:0", "RELAY_CONTROL_TLS_CERT_FILE": nothing, "RELAY_CONTROL_TLS_KEY_FILE": nothing,
	}
	if got := run(t.Context(), "", env, "serve"); got.code != 1 || !strings.Contains(got.stderr, "read control.tls") {
		t.Errorf("%+v", got)
	}
}

func TestAuditFile_HasALineForEveryEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	s := startServing(t, dataDir(t), map[string]string{"RELAY_AUDIT_FILE": path})
	s.done("", "org", "add", "acme")
	s.control.must(http.StatusCreated, http.MethodPost, "/api/teams", `{"metadata":{"name":"research"},"spec":{"organizationId":"acme"}}`)
	strangers := control{t, s.control.url, "a-wrong-token-0123456789"}
	strangers.must(http.StatusUnauthorized, http.MethodGet, "/api/hosts", "")
	s.stop()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if stat, err := file.Stat(); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	var told []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e store.AuditEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		told = append(told, e.Action+" "+e.Outcome+" by "+e.Actor.Kind+" at "+e.Address)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{
		"automatic done by system at ", "create-organization done by local at socket", "create-team done by token-file at 127.0.0.1",
		"sign-in refused by anonymous at 127.0.0.1",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q among\n%s", want, all)
		}
	}
}

func TestAuditFile_ThatCannotBeWrittenStopsTheStart(t *testing.T) {
	env := map[string]string{"HOME": t.TempDir(), "RELAY_DATA_DIR": dataDir(t), "RELAY_AUDIT_FILE": filepath.Join(t.TempDir(), "nowhere", "audit.jsonl")}
	if got := run(t.Context(), "", env, "serve"); got.code != 1 || !strings.Contains(got.stderr, "audit.file") {
		t.Errorf("%+v", got)
	}
}

func TestRBAC_HoldsForABrowserOfAServerThatRuns(t *testing.T) {
	s := startServing(t, dataDir(t), map[string]string{"RELAY_AUTHZ": "rbac"})
	s.done("correct horse", "user", "add", "noor", "--role", "developer", "--scope", "project:default", "--value", "-")
	answer, err := http.Post(s.control.url+"api/session", "application/json", strings.NewReader(`{"username":"noor","password":"correct horse"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	cookies := answer.Cookies()
	if answer.StatusCode != http.StatusCreated || len(cookies) != 1 {
		t.Fatalf("%d, cookies %v", answer.StatusCode, cookies)
	}
	for path, want := range map[string]int{"api/models": 200, "api/host-keys": 403, "api/settings": 403, "api/projects/default": 200, "api/teams/default": 404} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.control.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(cookies[0])
		got, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, got.StatusCode, want)
		}
	}
}
