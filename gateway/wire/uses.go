package wire

// Uses are things that a request asks of a model and its host, one bit each.
type Uses uint32

// What requests use.
const (
	UsesTools         Uses = 1 << iota // functions, and tools that the provider runs
	UsesParallelTools                  // tools, of which several may be called at once
	UsesVision                         // pictures, videos and documents are sent
	UsesAudioInput                     // sound is sent
	UsesAudioOutput                    // the answer is to hold sound
	UsesImageOutput                    // the answer is to hold pictures
	UsesReasoning                      // more than none is asked for
	UsesJSONMode                       // the answer is to be JSON of any form
	UsesSchema                         // the answer is to be JSON by a schema, or text by another rule
	UsesPromptCache                    // marks or names for the provider's cache of prompts
	UsesStream                         // a stream, asked for otherwise than by stream
)

// Inspection is what Inspect has found.
type Inspection struct {
	Uses Uses
	Held int   // index of the first path that the body holds a member at; -1: none
	Name Range // of that member, as it is written, with its quotes
}

// Inspect reads what a body of any shape uses, and whether it holds one of the paths,
// in one pass and without allocating. Its keys are dotted paths in lower case and
// without underscores, its values their indexes; -1 stands for the beginning of a
// path, which needs a key of its own. Paths lead through objects, not through arrays.
// Names are told apart without regard to case and underscores, as the least strict of
// servers do; of members of one name all count, and null is no value.
//
// The members of extensions and extra_body, of each of their objects, and of each of
// Gemini's requests are looked at as those of a body. What is arbitrary JSON is not
// looked into: arguments, schemas, results of Gemini's functions. The body must have
// passed Scan.
func Inspect(body []byte, paths map[string]int) Inspection {
	i := inspector{paths: paths, found: Inspection{Held: none}}
	w := Walk(body)
	i.body(&w)
	return i.sum()
}

// InspectOptions is Inspect for an object of options for a local runner, whose
// member options holds more of them. What is no JSON is inspected as far as it is.
func InspectOptions(object []byte, paths map[string]int) Inspection {
	i := inspector{paths: paths, found: Inspection{Held: none}, runner: true}
	w := Walk(object)
	i.body(&w)
	return i.sum()
}

// inspector is one inspection.
type inspector struct {
	paths  map[string]int
	path   folded
	runner bool // options hold what a body does
	within bool // an extension
	found  Inspection

	one, several bool // what the request says of calls: one at a time, or several
	json         bool // Gemini's word for JSON, beside which a schema may stand
}

func (i *inspector) uses(what Uses) { i.found.Uses |= what }

func (i *inspector) usesIf(what Uses, so bool) {
	if so {
		i.uses(what)
	}
}

// sum works out what several members say together. Models call several tools at once
// unless they are told not to.
func (i *inspector) sum() Inspection {
	i.usesIf(UsesParallelTools, i.found.Uses&UsesTools != 0 && (i.several || !i.one))
	i.usesIf(UsesJSONMode, i.json && i.found.Uses&UsesSchema == 0)
	return i.found
}

// body reads the members of a body, or of an object that stands for one.
func (i *inspector) body(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		if w.First() == 'n' {
			continue
		}
		i.look(w)
		i.member(w, i.path.bytes())
	}
}

// look looks for the paths that begin with the present member, and goes nowhere.
func (i *inspector) look(w *Walker) {
	if i.found.Held != none || len(i.paths) == 0 {
		return
	}
	switch at, further := i.path.index(i.paths); {
	case at >= 0:
		i.found.Held, i.found.Name = at, w.named
	case further && w.First() == '{':
		ahead, path := *w, i.path
		i.found.Held, i.found.Name = path.held(&ahead, i.paths)
	}
}

// member reads a member of a body by its folded name.
func (i *inspector) member(w *Walker, name []byte) {
	switch string(name) {
	case "extensions", "extrabody":
		i.extensions(w)
	case "requests":
		for more := w.Array(); more; more = w.Element() {
			i.body(w)
		}
	case "options":
		if i.runner {
			i.body(w)
		} else {
			i.settings(w)
		}
	case "generationconfig":
		i.settings(w)
	default:
		i.setting(w, name)
	}
}

// extensions reads objects of members for one shape, or vendor, each, and such
// members themselves. Nobody reads extensions of extensions.
func (i *inspector) extensions(w *Walker) {
	if i.within {
		return
	}
	i.within = true
	ahead := *w
	i.body(&ahead)
	for more := w.Object(); more; more = w.Member() {
		i.body(w)
	}
	i.within = false
}

// settings reads an object of parameters.
func (i *inspector) settings(w *Walker) {
	json, before := i.json, i.found.Uses
	i.json, i.found.Uses = false, 0
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		if w.First() != 'n' {
			i.setting(w, i.path.bytes())
		}
	}
	i.usesIf(UsesJSONMode, i.json && i.found.Uses&UsesSchema == 0)
	i.uses(before)
	i.json = json
}

func (i *inspector) setting(w *Walker, name []byte) {
	if !i.toolMember(w, name) && !i.thoughtMember(w, name) && !i.formatMember(w, name) && !i.outputMember(w, name) {
		i.saidMember(w, name)
	}
}
