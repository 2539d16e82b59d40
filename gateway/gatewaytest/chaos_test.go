package gatewaytest_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
)

func TestChaos_PassesEverythingInFairWeather(t *testing.T) {
	u := gatewaytest.New(t, gatewaytest.JSON(200, strings.Repeat("x", 100_000)))
	c := gatewaytest.NewChaos(t, u.Addr())
	if a := gatewaytest.Do(t, c.Addr(), post("hello")); a.Status != 200 || len(a.Body) != 100_000 || a.Err != nil {
		t.Errorf("got %d, %d bytes, %v", a.Status, len(a.Body), a.Err)
	}
	if got := string(u.Request(0).Body); got != "hello" {
		t.Errorf("the upstream got %q", got)
	}
}

func TestChaos_CutsAfterTheByteThatItIsTold(t *testing.T) {
	u := gatewaytest.New(t)
	u.Otherwise(gatewaytest.JSON(200, "0123456789"))
	c := gatewaytest.NewChaos(t, u.Addr())
	c.Set(gatewaytest.Weather{CutAfter: 9})
	client := gatewaytest.Dial(t, c.Addr())
	client.Send(get)
	if text, clean := client.Rest(); text != "HTTP/1.1 " || clean {
		t.Errorf("got %q, clean %v", text, clean)
	}
}

func TestChaos_ThrottlesByPieces(t *testing.T) {
	u := gatewaytest.New(t, gatewaytest.JSON(200, "0123456789"))
	c := gatewaytest.NewChaos(t, u.Addr())
	c.Set(gatewaytest.Weather{Piece: 7, Delay: time.Millisecond})
	if a := gatewaytest.Do(t, c.Addr(), get); a.Body != "0123456789" || a.Err != nil {
		t.Errorf("got %+v", a)
	}
}

func TestChaos_StallsUntilItIsToldToGoOn(t *testing.T) {
	more := make(chan struct{})
	u := gatewaytest.New(t, gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk("a"), gatewaytest.Wait(more), gatewaytest.Chunk("b"), gatewaytest.LastChunk()))
	c := gatewaytest.NewChaos(t, u.Addr())
	client := gatewaytest.Dial(t, c.Addr())
	client.Send(get)
	body := client.Response().Body
	if text, err := gatewaytest.ReadUntil(body, "a"); err != nil {
		t.Fatal(text, err)
	}
	resume := c.Stall()
	close(more)
	<-u.Request(0).Ended()
	if strings.HasSuffix(client.Received(), "b\r\n") {
		t.Error("it came through the stall")
	}
	resume()
	if text, err := gatewaytest.ReadUntil(body, "b"); err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestChaos_CutsWhatIsOpen(t *testing.T) {
	u := gatewaytest.New(t)
	u.Otherwise(gatewaytest.Hang())
	c := gatewaytest.NewChaos(t, u.Addr())
	client := gatewaytest.Dial(t, c.Addr())
	client.Send(get)
	r := u.Request(0)
	c.Cut()
	<-r.Gone()
	if text, clean := client.Rest(); text != "" || clean {
		t.Errorf("got %q, clean %v", text, clean)
	}
}
