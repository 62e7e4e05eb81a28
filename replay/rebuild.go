package replay

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// rebuildEnv adds to the run's environment what its published row tells of the
// producer's (producer.md section 13). What run.env says stays, also where it
// says that a variable was empty. A note names what was added.
func rebuildEnv(run *aiperf.Run) {
	if run.Published == nil {
		return
	}
	var added []string
	told := rowEnv(run.Published.Fields)
	for _, key := range slices.Sorted(maps.Keys(told)) {
		if _, ok := run.Env[key]; !ok {
			run.Env[key] = told[key]
			added = append(added, key+"="+told[key])
		}
	}
	if len(added) > 0 {
		file, pointer, _ := strings.Cut(run.Published.File, "#")
		run.Notes = append(run.Notes, aiperf.Note{File: file, At: pointer, Text: "environment rebuilt from the published row: " + strings.Join(added, " ")})
	}
}

// rowEnv is the producer's environment as far as a row tells it.
func rowEnv(fields map[string]string) aiperf.Env {
	env := aiperf.Env{}
	for key, field := range map[string]string{
		"RUNNER_TYPE": "hw", "CONC": "conc", "IMAGE": "image", "RECIPE_FINGERPRINT": "recipe_fingerprint",
		"MODEL": "model", "MODEL_PREFIX": "infmax_model_prefix", "FRAMEWORK": "framework", "PRECISION": "precision",
		"SPEC_DECODING": "spec_decoding", "DISAGG": "disagg", "IS_MULTINODE": "is_multinode",
		"KV_OFFLOADING": "kv_offloading", "TOTAL_CPU_DRAM_GB": "allocated_cpu_dram_gb", "KV_P2P_TRANSFER": "kv_p2p_transfer",
		"ROUTER_METADATA": "router",
	} {
		tell(env, key, fields[field])
	}
	if fields["is_multinode"] == "true" {
		for _, side := range []string{"prefill", "decode"} {
			for key, field := range map[string]string{
				"NUM_WORKERS": "num_workers", "TP": "tp", "PP_SIZE": "pp", "DCP_SIZE": "dcp_size", "PCP_SIZE": "pcp_size",
				"EP": "ep", "DP_ATTN": "dp_attention", "HARDWARE": "hw",
			} {
				tell(env, strings.ToUpper(side)+"_"+key, fields[side+"_"+field])
			}
		}
	} else {
		for key, field := range map[string]string{
			"TP": "tp", "EP_SIZE": "ep", "DP_ATTENTION": "dp_attention", "PP_SIZE": "pp", "DCP_SIZE": "dcp_size", "PCP_SIZE": "pcp_size",
		} {
			tell(env, key, fields[field])
		}
	}
	tellBackend(env, fields["kv_offload_backend"])
	return env
}

// tell sets a variable to what a field says, if it says anything: the text of a
// string, the JSON of all else.
func tell(env aiperf.Env, key, field string) {
	if field == "" || field == "null" {
		return
	}
	if text, err := jsonText(field); err == nil {
		field = text
	}
	if !strings.ContainsAny(field, "\r\n") {
		env[key] = field
	}
}

// tellBackend takes the metadata object of newer rows and the plain name of
// older ones, which had no metadata: the producer wants it, so it is made.
func tellBackend(env aiperf.Env, field string) {
	if name, err := jsonText(field); err == nil && name != "" {
		tell(env, "KV_OFFLOAD_BACKEND", field)
		env["KV_OFFLOAD_BACKEND_METADATA"] = `{"name":` + field + `}`
		return
	}
	var metadata struct {
		Name string `json:"name"`
	}
	if json.Unmarshal([]byte(field), &metadata) == nil && metadata.Name != "" {
		env["KV_OFFLOAD_BACKEND"] = metadata.Name
		env["KV_OFFLOAD_BACKEND_METADATA"] = field
	}
}

// jsonText returns the string that a JSON text is.
func jsonText(field string) (string, error) {
	var text string
	err := json.Unmarshal([]byte(field), &text)
	return text, err
}
