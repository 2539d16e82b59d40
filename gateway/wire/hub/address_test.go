package hub_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire/hub"
)

func TestPart_ReadsAndWritesAddresses(t *testing.T) {
	for address, want := range map[string]hub.Part{
		`https://e.x/a.png`:                   {URL: hub.Text(`https://e.x/a.png`)},
		`data:image/png;base64,iVBO/+==`:      {MediaType: hub.Text("image/png"), Data: hub.Text("iVBO/+==")},
		`DATA:text/plain;a=b;base64,YQ==`:     {MediaType: hub.Text("text/plain"), Data: hub.Text("YQ==")},
		`data:image\/png;base64,iV\u0042O\/+`: {MediaType: hub.Text("image/png"), Data: hub.Text("iVBO/+")},
	} {
		var p hub.Part
		if ok := p.SetAddress(hub.Text(address)); !ok || !cmp.Equal(p, want) {
			t.Errorf("%s: %v\n%s", address, ok, cmp.Diff(want, p))
		}
		var again hub.Part
		written, _ := hub.TextOf(p.AppendAddress(nil))
		if ok := again.SetAddress(written); !ok || !cmp.Equal(again, p) {
			t.Errorf("%s is written as %s", address, written)
		}
	}
	for _, address := range []string{`data:,hi`, `data:text/plain,hi`, `data:image/png;base64`} {
		var p hub.Part
		if p.SetAddress(hub.Text(address)) {
			t.Errorf("%s is read as %+v", address, p)
		}
	}
}
