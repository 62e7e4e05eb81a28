package generator

import (
	"fmt"
	"slices"
	"strings"
)

// A Layer is where a fault is injected.
type Layer string

const (
	LayerWorkload    Layer = "workload"    // the requests
	LayerServing     Layer = "serving"     // what workers count of a request: the engine, before it runs
	LayerEngine      Layer = "engine"      // what workers have counted and publish
	LayerCollector   Layer = "collector"   // scraping, merging, renaming
	LayerFile        Layer = "file"        // the exported statistics
	LayerRecords     Layer = "records"     // the client's records
	LayerEnvironment Layer = "environment" // roles and versions
)

// A Tag says what a reader of the export can know of a fault.
type Tag string

const (
	Visible Tag = "visible" // the export shows it, or it changes nothing
	Bounded Tag = "bounded" // the export limits what it does
	Silent  Tag = "silent"  // the counters are false though complete
)

// The oracle's named assumptions that a fault can break.
const (
	breaksSnapshot = "snapshot" // an endpoint's four counters come from one snapshot
	breaksLag      = "lag"      // none is staler than the lag
	breaksPrompt   = "prompt"   // FULL moves by usage_prompt_tokens
)

// A Kind is one fault that can be injected.
type Kind struct {
	Slug    string
	Layer   Layer
	Tag     Tag
	Doc     string   // one line
	Engines []string // nil: all

	Unit                 string // what the size counts; "": the fault has no size
	Default, Least, Most int64

	Breaks string // named assumption of the oracle that it breaks: snapshot, lag, prompt or ""

	needs  func(Spec) string // what the spec lacks for it, "" when it fits
	inject func(*build, int64)
}

// Fits returns what the spec lacks for the fault, or "" when it can be
// injected.
func (k Kind) Fits(s Spec) string { return k.lacks(s.withDefaults()) }

// lacks is Fits for a spec that has its defaults.
func (k Kind) lacks(s Spec) string {
	if k.Engines != nil && !slices.Contains(k.Engines, s.Engine) {
		return "an engine that is " + strings.Join(k.Engines, " or ")
	}
	if k.needs == nil {
		return ""
	}
	return k.needs(s)
}

// Kinds lists every fault, by layer and slug.
func Kinds() []Kind {
	return slices.Concat(workloadKinds(), engineKinds(), collectorKinds(), fileKinds(), recordsKinds(), environmentKinds())
}

// KindOf returns the fault of the slug.
func KindOf(slug string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.Slug == slug {
			return k, true
		}
	}
	return Kind{}, false
}

func (s Spec) checkFaults() error {
	if len(s.Faults) == 0 {
		return nil
	}
	kinds := Kinds()
	for i, f := range s.Faults {
		at := func(name string) string { return fmt.Sprintf("faults[%d].%s", i, name) }
		j := slices.IndexFunc(kinds, func(k Kind) bool { return k.Slug == f.Slug })
		if j < 0 {
			var slugs []string
			for _, k := range kinds {
				slugs = append(slugs, k.Slug)
			}
			return oneOf(at("fault"), f.Slug, slugs...)
		}
		k := kinds[j]
		if slices.ContainsFunc(s.Faults[:i], func(g Fault) bool { return g.Slug == f.Slug }) {
			return wrong(at("fault"), "%q stands twice: a fault is injected once", f.Slug)
		}
		if lack := k.lacks(s); lack != "" {
			return wrong(at("fault"), "%q needs %s", f.Slug, lack)
		}
		if f.Size != 0 && (k.Unit == "" || f.Size < k.Least || f.Size > k.Most) {
			if k.Unit == "" {
				return wrong(at("size"), "%q has no size", f.Slug)
			}
			return wrong(at("size"), "%d is not allowed: want %d to %d %s", f.Size, k.Least, k.Most, k.Unit)
		}
	}
	return nil
}

// resolve returns the kinds of the spec's faults, in the order of the spec.
func (s Spec) resolve() []Kind {
	if len(s.Faults) == 0 {
		return nil
	}
	all := Kinds()
	out := make([]Kind, len(s.Faults))
	for i, f := range s.Faults {
		out[i] = all[slices.IndexFunc(all, func(k Kind) bool { return k.Slug == f.Slug })] // the spec was checked
	}
	return out
}

// inject applies the spec's faults of one layer, in the order of the spec.
func (b *build) inject(layer Layer) {
	for i, k := range b.kinds {
		if k.Layer != layer {
			continue
		}
		k.inject(b, k.size(b.spec.Faults[i]))
		if k.Breaks != "" && !slices.Contains(b.broken, k.Breaks) {
			b.broken = append(b.broken, k.Breaks)
		}
	}
}

func (k Kind) size(f Fault) int64 {
	if f.Size == 0 {
		return k.Default
	}
	return f.Size
}

// injected lists the faults for the truth.
func (b *build) injected() []Injected {
	var out []Injected
	for i, k := range b.kinds {
		out = append(out, Injected{k.Slug, k.Layer, k.Tag, k.size(b.spec.Faults[i])})
	}
	return out
}
