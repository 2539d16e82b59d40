package gatewaytest_test

import (
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const get = "GET /v1/models HTTP/1.1\r\nHost: up\r\n\r\n"

func post(body string) string {
	return fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: up\r\nX-Odd: a\r\nx-odd:b \r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func TestUpstream_RecordsEveryByteOfARequest(t *testing.T) {
	u := gatewaytest.New(t, gatewaytest.JSON(200, "{}"), gatewaytest.JSON(201, `{"a":1}`))
	c := gatewaytest.Dial(t, u.Addr())
	c.SendBytewise(post("hello"))
	if a := c.Answer(); a.Status != 200 || a.Body != "{}" || a.Err != nil {
		t.Errorf("got %+v", a)
	}
	chunked := "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
	c.Send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked)
	if a := c.Answer(); a.Status != 201 || a.Body != `{"a":1}` {
		t.Errorf("got %+v", a)
	}
	first, second := u.Request(0), u.Request(1)
	if first.Head+string(first.Body) != post("hello") || first.Line() != "POST /v1/chat/completions HTTP/1.1" {
		t.Errorf("first request is %q", first.Head)
	}
	if got := fmt.Sprint(first.Header("x-odd"), len(first.Lines())); got != "[a b] 4" {
		t.Errorf("got %s", got)
	}
	if string(second.Body) != "abcde" || string(second.Wire) != chunked || second.Conn != 0 {
		t.Errorf("second request is %q, %q on connection %d", second.Body, second.Wire, second.Conn)
	}
	if len(u.Requests()) != 2 || u.Connections() != 1 || u.Aborted() != 0 {
		t.Errorf("%d requests, %d connections, %d aborted", len(u.Requests()), u.Connections(), u.Aborted())
	}
}

func TestUpstream_SaysWhenNoScriptIsLeft(t *testing.T) {
	u := gatewaytest.New(t)
	if a := gatewaytest.Do(t, u.Addr(), get); a.Status != 500 || !strings.Contains(a.Body, "no script left") {
		t.Errorf("got %+v", a)
	}
	u.Otherwise(gatewaytest.JSON(204, ""))
	u.Play(gatewaytest.JSON(418, "tea"))
	if a := gatewaytest.Do(t, u.Addr(), get); a.Status != 418 {
		t.Errorf("got %+v", a)
	}
	if a := gatewaytest.Do(t, u.Addr(), get); a.Status != 204 {
		t.Errorf("got %+v", a)
	}
}

func TestScript_GoesOnWhenTheTestSaysSo(t *testing.T) {
	more, came := make(chan struct{}), make(chan struct{})
	u := gatewaytest.New(t, gatewaytest.Join(
		gatewaytest.StreamHead(), gatewaytest.Chunk("data: a\n\n"), gatewaytest.Tell(came),
		gatewaytest.Wait(more), gatewaytest.Chunk("data: ", "b\n\n"), gatewaytest.LastChunk()))
	c := gatewaytest.Dial(t, u.Addr())
	c.Send(get)
	response := c.Response()
	if text, err := gatewaytest.ReadUntil(response.Body, "\n\n"); text != "data: a\n\n" || err != nil {
		t.Fatalf("got %q, %v", text, err)
	}
	<-came
	select {
	case <-u.Request(0).Ended():
		t.Error("the script did not wait")
	default:
	}
	close(more)
	if text, err := gatewaytest.ReadUntil(response.Body, "never"); text != "data: b\n\n" || !errors.Is(err, gatewaytest.ErrNoEnd) {
		t.Errorf("got %q, %v", text, err)
	}
	<-u.Request(0).Ended()
}

func TestScript_SendsWhateverItIsGiven(t *testing.T) {
	u := gatewaytest.New(t,
		gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"), gatewaytest.Stream(gatewaytest.Data("[DONE]"))),
		gatewaytest.Join(gatewaytest.Head(200, "Content-Encoding: gzip"), gatewaytest.Bytewise(gatewaytest.Gzip("packed")), gatewaytest.Close()),
		gatewaytest.Join(gatewaytest.Head(200, "Content-Length: 300000"), gatewaytest.Fill(100000, "abc")),
		gatewaytest.Join(gatewaytest.Head(200, "Content-Length: 10"), gatewaytest.Raw("short"), gatewaytest.Close()))
	c := gatewaytest.Dial(t, u.Addr())
	c.Send(get)
	if a := c.Answer(); a.Body != "data: [DONE]\n\n" || !strings.HasPrefix(c.Received(), "HTTP/1.1 103 Early\r\n") {
		t.Errorf("got %+v", a)
	}
	c.Send(get)
	unpacked, err := gzip.NewReader(c.Response().Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); string(text) != "packed" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if a := gatewaytest.Do(t, u.Addr(), get); a.Body != strings.Repeat("abc", 100000) || a.Err != nil {
		t.Errorf("got %d bytes, %v", len(a.Body), a.Err)
	}
	if a := gatewaytest.Do(t, u.Addr(), get); a.Body != "short" || !errors.Is(a.Err, io.ErrUnexpectedEOF) {
		t.Errorf("got %+v", a)
	}
}

func TestReset_IsSeenAsOne(t *testing.T) {
	u := gatewaytest.New(t, gatewaytest.Reset(), gatewaytest.Close())
	for _, wantClean := range []bool{false, true} {
		c := gatewaytest.Dial(t, u.Addr())
		c.Send(get)
		if text, clean := c.Rest(); text != "" || clean != wantClean {
			t.Errorf("got %q, clean %v", text, clean)
		}
	}
	<-u.Request(1).Ended()
	if u.Aborted() != 0 {
		t.Errorf("%d aborted", u.Aborted())
	}
}

func TestHang_EndsWhenThePeerHasGone(t *testing.T) {
	u := gatewaytest.New(t)
	u.Otherwise(gatewaytest.Hang())
	for i, leave := range []func(*gatewaytest.Client){(*gatewaytest.Client).Close, (*gatewaytest.Client).Reset, (*gatewaytest.Client).CloseWrite} {
		c := gatewaytest.Dial(t, u.Addr())
		c.Send(post("x") + "GET / more bytes that wait")
		r := u.Request(i)
		leave(c)
		<-r.Gone()
		<-r.Ended()
		if u.Aborted() != i+1 {
			t.Errorf("%d aborted after %d", u.Aborted(), i+1)
		}
	}
}

func TestHang_EndsWithTheTest(t *testing.T) {
	t.Run("inner", func(t *testing.T) {
		u := gatewaytest.New(t, gatewaytest.Hang())
		c := gatewaytest.Dial(t, u.Addr())
		c.Send(get)
		u.Request(0)
	})
}

func TestUpstream_CountsARequestThatIsCutShort(t *testing.T) {
	u := gatewaytest.New(t)
	c := gatewaytest.Dial(t, u.Addr())
	c.Send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc")
	c.CloseWrite()
	c.Rest()
	if u.Aborted() != 1 || len(u.Requests()) != 0 {
		t.Errorf("%d aborted, %d requests", u.Aborted(), len(u.Requests()))
	}
}

func TestOnConnect_PlaysBeforeARequestIsRead(t *testing.T) {
	u := gatewaytest.New(t, gatewaytest.JSON(200, "{}"))
	u.OnConnect(gatewaytest.Join(gatewaytest.Raw("junk"), gatewaytest.Close()), gatewaytest.Join(gatewaytest.ReadHead(), gatewaytest.JSON(413, "big"), gatewaytest.Close()))
	c := gatewaytest.Dial(t, u.Addr())
	if text, clean := c.Rest(); text != "junk" || !clean {
		t.Errorf("got %q, clean %v", text, clean)
	}
	c = gatewaytest.Dial(t, u.Addr())
	c.Send("POST /early HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n")
	if a := c.Answer(); a.Status != 413 {
		t.Errorf("got %+v", a)
	}
	if a := gatewaytest.Do(t, u.Addr(), get); a.Status != 200 {
		t.Errorf("got %+v", a)
	}
	if u.Request(0).Line() != "POST /early HTTP/1.1" || u.Request(1).Conn != 2 || u.Connections() != 3 {
		t.Errorf("recorded %q and a request on connection %d", u.Request(0).Line(), u.Request(1).Conn)
	}
}

func TestUpstream_ServesTheStandardClient(t *testing.T) {
	u := gatewaytest.New(t, gatewaytest.Stream(gatewaytest.Data(`{"a":1}`), gatewaytest.Data("[DONE]")))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Post(u.URL()+"/v1", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || string(text) != "data: {\"a\":1}\n\ndata: [DONE]\n\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestCutAt_EndsWithinWhateverIsWritten(t *testing.T) {
	u := gatewaytest.New(t)
	whole := "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
	for n := 1; n < len(whole); n += 7 {
		u.Play(gatewaytest.CutAt(n, gatewaytest.Bytewise(whole), gatewaytest.Close()), gatewaytest.CutAt(n, gatewaytest.Raw(whole), gatewaytest.Reset()))
		for _, wantClean := range []bool{true, false} {
			c := gatewaytest.Dial(t, u.Addr())
			c.Send(get)
			if text, clean := c.Rest(); clean != wantClean || wantClean && text != whole[:n] {
				t.Errorf("cut at %d: got %q, clean %v", n, text, clean)
			}
		}
	}
}

func TestTLS_ShowsTheCertificateThatItIsGiven(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	text, err := os.ReadFile(authority.File)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	for name, c := range map[string]struct {
		certificate tls.Certificate
		trust       *x509.CertPool
		refused     string
	}{
		"good":      {authority.Good(), pool, ""},
		"untrusted": {authority.Good(), x509.NewCertPool(), "unknown authority"},
		"expired":   {authority.Expired(), pool, "expired"},
		"stranger":  {authority.Stranger(), pool, "192.0.2.1"},
	} {
		u := gatewaytest.NewTLS(t, c.certificate, gatewaytest.JSON(200, "{}"))
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: c.trust}}
		answer, err := (&http.Client{Transport: transport}).Get(u.URL())
		if err == nil {
			_ = answer.Body.Close()
		}
		transport.CloseIdleConnections()
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFloods_AreAsLongAsTheyAreToldToBe(t *testing.T) {
	u := gatewaytest.New(t,
		gatewaytest.Join(gatewaytest.Early(50), gatewaytest.JSON(200, "{}")),
		gatewaytest.Join(gatewaytest.ManyHeaders(200, 1000, 64, "Content-Length: 2"), gatewaytest.Raw("{}")))
	c := gatewaytest.Dial(t, u.Addr())
	c.Send(get)
	if a := c.Answer(); a.Body != "{}" || strings.Count(c.Received(), " 103 ") != 50 {
		t.Errorf("got %+v after %d", a, strings.Count(c.Received(), " 103 "))
	}
	c.Send(get)
	if a := c.Answer(); a.Body != "{}" || len(a.Header) != 1001 {
		t.Errorf("got %d headers, %+v", len(a.Header), a.Err)
	}
	if n := strings.Count(c.Received(), "X-Flood-"); n != 1000 || len(c.Received()) < 64_000 {
		t.Errorf("%d lines, %d bytes", n, len(c.Received()))
	}
}
