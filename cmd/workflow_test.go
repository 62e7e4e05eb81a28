package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/shlex"
)

// The README's workflow works as it stands there: its own commands, with a
// built-in adapter in the place of the producer's (testdata/script/workflow.txt
// has one of a clone), judge all shards and merge them.
func TestReadmeWorkflow(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```yaml\n(name: .*?)^```$").FindSubmatch(text)
	if block == nil {
		t.Fatal("README.md has no workflow")
	}
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct{ Matrix struct{ Shard []int } }
			Steps    []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(block[1], &workflow); err != nil {
		t.Fatal(err)
	}
	commands := func(job string) []string {
		var list []string
		for _, step := range workflow.Jobs[job].Steps {
			if strings.HasPrefix(step.Run, "pdreplay ") {
				list = append(list, step.Run)
			}
		}
		if len(list) != 1 {
			t.Fatalf("job %s has the commands %q, want one", job, list)
		}
		return list
	}
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	shards := workflow.Jobs["judge"].Strategy.Matrix.Shard
	if len(shards) < 2 {
		t.Fatalf("shards %v", shards)
	}
	for _, shard := range shards {
		line := strings.NewReplacer("${{ matrix.shard }}", strconv.Itoa(shard), `"$PINNED"`, "atom@review", "producer@worktree", "vllm@corrected").Replace(commands("judge")[0])
		if out, code := workflowLine(t, line); code != 0 {
			t.Fatalf("%s: exit %d\n%s", line, code, out)
		}
	}
	files, err := filepath.Glob("events-*.json")
	if err != nil || len(files) != len(shards) {
		t.Fatalf("%v, %v", files, err)
	}
	line := strings.Replace(commands("report")[0], "events-*.json", strings.Join(files, " "), 1)
	if out, code := workflowLine(t, line); code != 0 {
		t.Fatalf("%s: exit %d\n%s", line, code, out)
	}
	for _, name := range []string{"junit.xml", "report.html", "summary.md"} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func workflowLine(t *testing.T, line string) (output string, code int) {
	t.Helper()
	args, err := shlex.Split(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var out bytes.Buffer
	code = Main(args[1:], strings.NewReader(""), &out, &out)
	return out.String(), code
}
