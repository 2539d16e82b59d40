package cmd

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"

	"relay/store"
)

// configLeaf is one key that takes a value.
type configLeaf struct {
	key   string // "inference.listen"
	doc   string
	oneOf []string // besides the default
	value any      // the default
}

// env returns the environment variable of the key: RELAY_INFERENCE_LISTEN.
func (l configLeaf) env() string {
	return "RELAY_" + strings.ToUpper(strings.ReplaceAll(l.key, ".", "_"))
}

// flag returns the flag of the key without its dashes: inference-listen.
func (l configLeaf) flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(l.key)
}

// configLeaves lists every key in the order of Config.
func configLeaves() []configLeaf {
	return leavesOf(reflect.ValueOf(DefaultConfig()), "")
}

func leavesOf(section reflect.Value, prefix string) []configLeaf {
	var leaves []configLeaf
	for i := range section.NumField() {
		field := section.Type().Field(i)
		name := field.Tag.Get("mapstructure")
		switch {
		case name == "-":
		case field.Type.Kind() == reflect.Struct && field.Type != reflect.TypeFor[store.Secret]():
			leaves = append(leaves, leavesOf(section.Field(i), prefix+name+".")...)
		default:
			leaf := configLeaf{key: prefix + name, doc: field.Tag.Get("doc"), value: section.Field(i).Interface()}
			if choices := field.Tag.Get("oneof"); choices != "" {
				leaf.oneOf = strings.Split(choices, ",")
			}
			leaves = append(leaves, leaf)
		}
	}
	return leaves
}

// parse reads the text of a value as the key's type.
func (l configLeaf) parse(text string) (any, error) {
	value, err := parseAs(reflect.TypeOf(l.value), text)
	if err != nil {
		return nil, err
	}
	if len(l.oneOf) > 0 && text != l.value && !slices.Contains(l.oneOf, text) {
		return nil, fmt.Errorf("%q is none of %s", text, strings.Join(l.oneOf, ", "))
	}
	return value, nil
}

// text writes the default as a file does.
func (l configLeaf) text() string {
	switch value := l.value.(type) {
	case time.Duration:
		return store.FormatDuration(value)
	case []string:
		return "[" + strings.Join(value, ", ") + "]"
	case store.Secret:
		if value.IsZero() {
			return `""`
		}
		return value.String()
	case string:
		if value == "" {
			return `""`
		}
		return value
	}
	return fmt.Sprint(l.value)
}

func parseAs(t reflect.Type, text string) (any, error) {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return store.ParseDuration(text)
	case reflect.TypeFor[Size]():
		return ParseSize(text)
	case reflect.TypeFor[int]():
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		return n, nil
	case reflect.TypeFor[int64]():
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		return n, nil
	case reflect.TypeFor[bool]():
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return text == "true", nil
	case reflect.TypeFor[[]string]():
		return splitList(text), nil
	case reflect.TypeFor[store.Secret]():
		return store.NewSecret(text), nil
	}
	return text, nil
}

// decodeHook turns the texts that sources hold into the types of Config.
func decodeHook() mapstructure.DecodeHookFuncType {
	return func(from, to reflect.Type, data any) (any, error) {
		text, isText := data.(string)
		if !isText || from == to {
			return data, nil
		}
		return parseAs(to, text)
	}
}

// splitList reads the elements of a list that is written in one text.
func splitList(text string) []string {
	list := []string{}
	for element := range strings.SplitSeq(text, ",") {
		if element = strings.TrimSpace(element); element != "" {
			list = append(list, element)
		}
	}
	return list
}

// Size is a number of bytes, written with a unit: "32MiB".
type Size int64

type sizeUnit struct {
	suffix string
	bytes  int64
}

// sizeUnits are tried in this order: "B" ends all of them.
func sizeUnits() []sizeUnit {
	return []sizeUnit{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
		{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
	}
}

// ParseSize reads a size of at most 1 PB. A bare number is refused.
func ParseSize(text string) (Size, error) {
	const most = 1e15
	for _, unit := range sizeUnits() {
		digits, found := strings.CutSuffix(text, unit.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > most/unit.bytes {
			break
		}
		return Size(n * unit.bytes), nil
	}
	return 0, fmt.Errorf("%q is not a size: write a number with a unit, such as 512KiB, 32MiB or 1GiB", text)
}

// String writes the size with the largest binary unit that keeps it whole.
func (s Size) String() string {
	for _, unit := range []sizeUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if s != 0 && int64(s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}
