package hub_test

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func TestText_IsWhatStandsBetweenTheQuotes(t *testing.T) {
	for _, test := range []struct{ literal, says string }{
		{`""`, ""},
		{`"a b"`, "a b"},
		{`"a\n\"b\" \u00e9 \ud83d\ude00 \/"`, "a\n\"b\" é 😀 /"},
		{`"\ud83d"`, "\uFFFD"},
	} {
		text, ok := hub.TextOf([]byte(test.literal))
		if !ok || text.String() != test.says || !text.Is(test.says) || string(text.Plain()) != test.says {
			t.Errorf("%s says %q (%v), want %q", test.literal, text.String(), ok, test.says)
		}
		if got := string(text.AppendAfter([]byte("{"), `"a":`)); got != `{"a":`+test.literal {
			t.Errorf("%s is written %s", test.literal, got)
		}
	}
}

func TestTextOf_RefusesWhatIsNoString(t *testing.T) {
	for _, value := range []string{"", `"`, "null", "1", "{}", `["a"]`} {
		if text, ok := hub.TextOf([]byte(value)); ok || text != nil {
			t.Errorf("%q is the text %q", value, text)
		}
	}
}

func TestQuote_MakesATextThatSaysTheSame(t *testing.T) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\t\x00", "é😀", "</script>"} {
		text := hub.Quote(s)
		if text.String() != s || !wire.Valid(text.Append(nil)) {
			t.Errorf("%q is quoted %s", s, text)
		}
	}
}

func TestBlank_IsEmptyOrWhiteSpaceHoweverItIsWritten(t *testing.T) {
	for literal, want := range map[string]bool{
		"": true, " ": true, `\n\t `: true, `\u0020`: true, "\u00a0": true, `\u2003`: true,
		"a": false, ` \u0041`: false, `\\`: false, "é": false, " . ": false,
	} {
		if got := hub.Text(literal).Blank(); got != want {
			t.Errorf("%q: blank %v", literal, got)
		}
	}
}

func TestMembers_YieldsValuesAsTheyAreWritten(t *testing.T) {
	var got []string
	for name, value := range hub.Members([]byte(` { "b" : 12345678901234567890 , "\u0061":{"z":1, "y":[ ]},"b":null } `)) {
		got = append(got, string(name)+"="+string(value))
	}
	if want := []string{"b=12345678901234567890", `a={"z":1, "y":[ ]}`, "b=null"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, none := range []string{"", "null", "[]", `"a"`, "{}", "{"} {
		for name := range hub.Members([]byte(none)) {
			t.Errorf("%q has the member %q", none, name)
		}
	}
}

func TestElements_YieldsValuesAsTheyAreWritten(t *testing.T) {
	var got []string
	for value := range hub.Elements([]byte(`[ 1.0,"a" , {"b": 2} ]`)) {
		got = append(got, string(value))
	}
	if want := []string{"1.0", `"a"`, `{"b": 2}`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, none := range []string{"", "null", "{}", "[]"} {
		for value := range hub.Elements([]byte(none)) {
			t.Errorf("%q has the element %q", none, value)
		}
	}
}

func TestMembersAndElements_StopWhereTheyAreToldTo(t *testing.T) {
	n := 0
	for range hub.Members([]byte(`{"a":1,"b":2}`)) {
		n++
		break
	}
	for range hub.Elements([]byte(`[1,2]`)) {
		n++
		break
	}
	if n != 2 {
		t.Errorf("%d steps", n)
	}
}

func TestMemberOf_TakesTheLastOfSeveral(t *testing.T) {
	object := []byte(`{"a":1,"b":{"a":9},"a":2}`)
	if got := string(hub.MemberOf(object, "a")); got != "2" {
		t.Errorf("a is %s", got)
	}
	if got := hub.MemberOf(object, "c"); got != nil {
		t.Errorf("c is %s", got)
	}
}

func TestAddUnknown_KeepsNamesThatAHeaderCanTell(t *testing.T) {
	var r hub.Request
	long := strings.Repeat("x", 100)
	for _, name := range []string{"a", "a", "b\r\nc: d", "e,f", "é", long} {
		r.AddUnknown(name, []byte("1"))
	}
	for i := range 100 {
		r.AddUnknown(strings.Repeat("y", i+1), []byte("1"))
	}
	want := []string{"a", "b??c:?d", "e?f", "?", long[:64]}
	for i, name := range want {
		if r.Unknown[i].Name != name {
			t.Errorf("name %d is %q, want %q", i, r.Unknown[i].Name, name)
		}
	}
	if len(r.Unknown) != 32 {
		t.Errorf("%d names", len(r.Unknown))
	}
}

func TestDrop_NotesNamesOnce(t *testing.T) {
	var e hub.Embeds
	for _, name := range []string{"user", "a b", "user"} {
		e.Drop(name)
	}
	if want := []string{"user", "a?b"}; !slices.Equal(e.Dropped, want) {
		t.Errorf("dropped %q", e.Dropped)
	}
}
