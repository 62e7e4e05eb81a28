package atom

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// The literals of Versions, rendered, are the table of the specification: same
// questions, same order, same words. A cell that begins with "same" repeats the
// cell to its left; [ours] is a mark of origin and not part of the word.
func TestVersionsAreTheTable(t *testing.T) {
	text, err := os.ReadFile("testdata/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := parseTable(string(text))
	head, body := rows[0], rows[2:] // rows[1] is the rule below the head
	versions := Versions()

	if got, want := len(versions), len(head)-1; got != want {
		t.Fatalf("%d versions, the table has %d", got, want)
	}
	for i, v := range versions {
		if "`"+v.Name+"`" != head[i+1] {
			t.Errorf("version %d is %s, the table has %s", i, v.Name, head[i+1])
		}
	}
	fields := rowFields()
	if len(fields) != len(body) {
		t.Fatalf("a version answers %d questions, the table asks %d", len(fields), len(body))
	}
	for i, want := range body {
		if question := fields[i].Tag.Get("row"); question != want[0] {
			t.Errorf("question %d is %q, the table asks %q", i, question, want[0])
		}
		for j, v := range versions {
			got := fmt.Sprint(reflect.ValueOf(v).FieldByIndex(fields[i].Index))
			if got != want[j+1] {
				t.Errorf("%s, %s: literal says %q, table says %q", v.Name, want[0], got, want[j+1])
			}
		}
	}
}

func rowFields() []reflect.StructField {
	var fields []reflect.StructField
	for f := range reflect.TypeFor[Version]().Fields() {
		if f.Tag.Get("row") != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

func parseTable(text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		var row []string
		for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cell = strings.TrimSpace(strings.ReplaceAll(cell, "[ours]", ""))
			if rest, ok := strings.CutPrefix(cell, "same"); ok && len(row) > 1 {
				cell = row[len(row)-1] + rest
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// The parser must tell a changed cell: the test above would else hold nothing.
func TestParseTable(t *testing.T) {
	got := parseTable("| same name | a | same, b [ours] | same |\n")
	want := [][]string{{"same name", "a", "a, b", "a, b"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
