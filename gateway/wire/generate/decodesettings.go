package generate

import "relay/gateway/wire/hub"

func (b *request) readSampling() error {
	return object("sampling", b.sampling, func(name string, value []byte) error {
		path := "sampling." + name
		switch name {
		case "temperature":
			return setNumber(b.r, hub.Temperature, path, value)
		case "top_p":
			return setNumber(b.r, hub.TopP, path, value)
		case "top_k":
			return setWhole(b.r, hub.TopK, path, value)
		case "max_tokens":
			return setWhole(b.r, hub.MaxTokens, path, value)
		case "stop":
			return setStop(b.r, path, value)
		case "seed":
			return setWhole(b.r, hub.Seed, path, value)
		case "frequency_penalty":
			return setNumber(b.r, hub.FrequencyPenalty, path, value)
		case "presence_penalty":
			return setNumber(b.r, hub.PresencePenalty, path, value)
		}
		return unknown(path)
	})
}

// setStop keeps a list of texts that is not empty.
func setStop(r *hub.Request, path string, value []byte) error {
	return list(path, value, func(at string, element []byte) error {
		r.Set(hub.Stop, path, value)
		if _, ok := hub.TextOf(element); !ok {
			return hub.Bad(at, "must be a text")
		}
		return nil
	})
}

func (b *request) readReasoning() error {
	return object("reasoning", b.reasoning, func(name string, value []byte) (err error) {
		path, reasoning := "reasoning."+name, &b.r.Reasoning
		switch name {
		case "effort":
			reasoning.Effort, err = word(path, value, "none", "minimal", "low", "medium", "high", "xhigh", "max")
		case "summary":
			reasoning.Summary, err = word(path, value, "auto", "concise", "detailed", "none")
		case "budget_tokens":
			return readBudget(reasoning, path, value)
		default:
			return unknown(path)
		}
		return err
	})
}

// readBudget reads how many tokens thoughts may take; none at all is an effort.
func readBudget(reasoning *hub.Reasoning, path string, value []byte) error {
	if hub.IsNull(value) {
		return nil
	}
	n, err := whole(path, value)
	switch {
	case err != nil:
		return err
	case n < -1:
		return hub.Bad(path, "must be -1 or more")
	case n == 0:
		reasoning.Effort = "none"
	}
	reasoning.Budget = n
	return nil
}

func (b *request) readOutput() error {
	return object("output", b.output, func(name string, value []byte) error {
		switch name {
		case "format":
			b.r.Format = hub.Format{}
			return readFormat(&b.r.Format, value)
		case "verbosity":
			said, err := word("output.verbosity", value, "low", "medium", "high")
			if said != "" {
				b.r.Set(hub.Verbosity, "output.verbosity", value)
			}
			return err
		}
		return unknown("output." + name)
	})
}

func readFormat(f *hub.Format, value []byte) error {
	const at = "output.format"
	kind := "text"
	err := object(at, value, func(name string, value []byte) (err error) {
		switch path := at + "." + name; name {
		case "type":
			kind, err = word(path, value, "text", "json_object", "json_schema")
		case "name":
			return into(&f.Name, path, value)
		case "description":
			return into(&f.About, path, value)
		case "schema":
			f.Schema = value
			return object(path, value, anything)
		case "strict":
			f.Strict, err = boolean(path, value)
		default:
			return unknown(path)
		}
		return err
	})
	switch kind {
	case "json_object":
		f.Kind = hub.FormatJSON
	case "json_schema":
		f.Kind = hub.FormatSchema
		if err == nil && hub.IsNull(f.Schema) {
			err = hub.Bad(at+".schema", "must be a JSON Schema object")
		}
	}
	return err
}

// anything takes every member: those of a schema are the caller's own.
func anything(string, []byte) error { return nil }
