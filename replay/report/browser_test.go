package report_test

import (
	"bufio"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdreplay/pdreplay/replay/report"
)

var (
	browserName = flag.String("browser", "", "Chromium to open pages in (make browser)")
	shots       = flag.String("shots", "", "directory for screenshots of what was opened")
)

// The page in a real browser: it opens without an error and without a request,
// every judgement is there, filters and links do what they say, and no text of
// a run becomes markup or script.
func TestBrowser(t *testing.T) {
	if *browserName == "" {
		t.Skip("no browser asked for: make browser")
	}
	program, err := exec.LookPath(*browserName)
	if err != nil {
		t.Skipf("SKIPPED, nothing was tested: no browser %q here (%v); Debian's package is chromium", *browserName, err)
	}
	b := startBrowser(t, program)
	t.Run("fixtures", func(t *testing.T) { browseFixtures(t, b) })
	t.Run("hostile", func(t *testing.T) { browseHostile(t, b) })
	t.Run("thousand", func(t *testing.T) { browseThousand(t, b) })
}

func browseFixtures(t *testing.T, b *browser) {
	e := replayed(t, "../../testdata/matrix", "../../testdata/thread", "../../testdata/real")
	tab := b.open(t, page(t, e, report.HTMLOptions{Title: "fixtures"}))
	defer tab.clean(t)
	visible := `[...document.querySelectorAll(".run:not([hidden]) .j:not([hidden])")]`
	tab.want(t, `document.querySelectorAll(".j").length`, len(e.Results))
	tab.want(t, visible+`.length`, len(e.Results))

	// A judgement of the page is one of the events: adapter, class and command.
	for i, r := range e.Results {
		tab.want(t, fmt.Sprintf(`document.querySelectorAll(".j")[%d].dataset.adapter`, i), string(r.Adapter))
		if r.Class != "" {
			tab.want(t, fmt.Sprintf(`document.querySelectorAll(".j")[%d].querySelector("code").textContent`, i), r.Again)
			tab.want(t, fmt.Sprintf(`document.querySelectorAll(".j")[%d].dataset.cls`, i), string(r.Class))
		}
	}

	mispriced, atom4405 := 0, 0
	for _, r := range e.Results {
		if r.Class == "mispriced" {
			mispriced++
		}
		if r.Adapter == "atom@4405" {
			atom4405++
		}
	}
	tab.choose(t, "cls", "mispriced")
	tab.want(t, visible+`.length`, mispriced)
	tab.want(t, visible+`.every(j => j.dataset.cls === "mispriced")`, true)
	tab.shot(t, "filtered")
	tab.choose(t, "cls", "")
	tab.choose(t, "adapter", "atom@4405")
	tab.want(t, visible+`.length`, atom4405)
	tab.choose(t, "adapter", "")
	tab.choose(t, "engine", "vllm")
	tab.want(t, `[...document.querySelectorAll(".run:not([hidden])")].every(r => r.dataset.engine === "vllm")`, true)
	tab.want(t, `document.querySelectorAll(".run:not([hidden])").length`, 3) // testdata/real
	tab.do(t, `document.querySelector("#filter button").click()`)
	tab.eventually(t, visible+`.length`, len(e.Results))

	// A count of the scorecard shows what it counted.
	tab.do(t, `document.querySelector('#card button[data-cls="mispriced"]').click()`)
	tab.want(t, visible+`.every(j => j.dataset.cls === "mispriced" && j.dataset.adapter === "atom@main")`, true)
	// A link opens its run, and brings it back if a filter hid it.
	tab.choose(t, "engine", "vllm")
	tab.do(t, `location.hash = "#run.thread.c4"`)
	tab.eventually(t, `document.getElementById("run.thread.c4").open`, true)
	tab.eventually(t, `document.getElementById("run.thread.c4").hidden`, false)
	tab.want(t, `document.querySelector('[id="run.thread.c4"] svg rect.straddling').getBBox().width > 50`, true)
	tab.want(t, `document.querySelectorAll('[id="run.thread.c4"] svg polyline').length`, 3)
	tab.shot(t, "c4")
	tab.dark(t)
	tab.shot(t, "c4-dark")
	tab.want(t, `getComputedStyle(document.body).backgroundColor`, "rgb(20, 23, 26)")
}

func browseHostile(t *testing.T, b *browser) {
	e := hostileEvents()
	tab := b.open(t, page(t, e, report.HTMLOptions{Title: hostile, Account: hostile}))
	defer tab.clean(t)
	tab.do(t, `document.querySelectorAll("details").forEach(d => d.open = true)`)
	tab.want(t, `document.querySelectorAll("img, iframe, object, embed").length`, 0)
	tab.want(t, `document.scripts.length`, 1)
	tab.want(t, `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).filter(a => a.name.startsWith("on")).length`, 0)
	tab.want(t, `document.querySelectorAll(".j").length`, len(e.Results))
	// The text is there as text: filtered by it, the run stays.
	tab.do(t, `const f = document.getElementById("filter"); f.elements.adapter.selectedIndex = 1; f.elements.engine.selectedIndex = 1; f.dispatchEvent(new Event("input"))`)
	tab.want(t, `document.querySelectorAll(".run:not([hidden])").length > 0`, true)
	tab.do(t, `document.querySelector(".run:not([hidden]) a").click()`)
	tab.shot(t, "hostile")
}

func browseThousand(t *testing.T, b *browser) {
	e := many(t, 1000)
	text := page(t, e, report.HTMLOptions{Title: "a thousand runs"})
	if len(text) > 10e6 {
		t.Errorf("%d bytes, want less than 10 MB", len(text))
	}
	best := time.Hour
	for range 8 { // the machine may be busy: the page is as fast as its best
		tab := b.open(t, text)
		defer tab.clean(t)
		tab.want(t, `document.querySelectorAll(".j").length`, len(e.Results))
		var ms float64
		tab.get(t, `performance.getEntriesByType("navigation")[0].loadEventEnd`, &ms)
		best = min(best, time.Duration(ms*float64(time.Millisecond)))
		if best < 2*time.Second {
			var filter float64
			tab.get(t, `(() => { const t = performance.now(), f = document.getElementById("filter"); f.elements.cls.value = "mispriced"; f.dispatchEvent(new Event("input")); document.body.offsetHeight; return performance.now() - t })()`, &filter)
			tab.shot(t, "thousand")
			t.Logf("%d runs, %d judgements, %d bytes: open in %s, filtered in %.0f ms", len(e.Runs), len(e.Results), len(text), best, filter)
			return
		}
	}
	t.Errorf("the page opens in %s, want 2 s at most", best)
}

// A browser speaks the DevTools protocol over two pipes: a JSON value and a
// zero byte a message.
type browser struct {
	in io.Writer

	mu      sync.Mutex
	next    int
	replies map[int]chan message
	events  []message
}

type message struct {
	ID      int            `json:"id,omitzero"`
	Session string         `json:"sessionId,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   jsontext.Value `json:"error,omitzero"`
}

func startBrowser(t *testing.T, program string) *browser {
	t.Helper()
	fromUs, toBrowser, err := os.Pipe()
	fromBrowser, toUs, err2 := os.Pipe()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	// Without the background flags it asks for hosts of its maker at every start.
	c := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--window-size=1200,1000", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	c.ExtraFiles = []*os.File{fromUs, toUs}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	b := &browser{in: toBrowser, replies: map[int]chan message{}}
	go b.listen(fromBrowser)
	t.Cleanup(func() {
		b.send(t, "", "Browser.close", map[string]any{})
		c.Wait()
	})
	return b
}

func (b *browser) listen(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if reply := b.replies[m.ID]; m.ID != 0 && reply != nil {
			reply <- m
		} else {
			b.events = append(b.events, m)
		}
		b.mu.Unlock()
	}
}

// send calls a method and waits for its result.
func (b *browser) send(t *testing.T, session, method string, params any) jsontext.Value {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	reply := make(chan message, 1)
	b.mu.Lock()
	b.next++
	id := b.next
	b.replies[id] = reply
	b.mu.Unlock()
	text, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: raw})
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-reply:
		if m.Error != nil {
			t.Fatalf("%s: %s", method, m.Error)
		}
		return m.Result
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: no answer from the browser", method)
		return nil
	}
}

// A tab is one page that was opened.
type tab struct {
	b       *browser
	session string
	url     string
}

// open opens a page from a file, as people do, and waits until it is loaded.
func (b *browser) open(t *testing.T, text string) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var target struct {
		ID      string `json:"targetId"`
		Session string `json:"sessionId"`
	}
	decode(t, b.send(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	decode(t, b.send(t, "", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}), &target)
	tab := &tab{b, target.Session, "file://" + file}
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.send(t, tab.session, domain+".enable", map[string]any{})
	}
	b.send(t, tab.session, "Page.navigate", map[string]any{"url": tab.url})
	tab.eventually(t, `location.protocol === "file:" && performance.getEntriesByType("navigation")[0].loadEventEnd > 0`, true)
	return tab
}

func decode(t *testing.T, raw jsontext.Value, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
}

// get evaluates an expression.
func (p *tab) get(t *testing.T, expression string, into any) {
	t.Helper()
	var r struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
		Exception jsontext.Value `json:"exceptionDetails"`
	}
	decode(t, p.b.send(t, p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}), &r)
	if r.Exception != nil {
		t.Fatalf("%s: %s", expression, r.Exception)
	}
	if into != nil {
		decode(t, r.Result.Value, into)
	}
}

func (p *tab) do(t *testing.T, script string) {
	t.Helper()
	p.get(t, "(() => {"+script+"})()", nil)
}

func (p *tab) choose(t *testing.T, field, value string) {
	t.Helper()
	p.do(t, fmt.Sprintf(`const f = document.getElementById("filter"); f.elements[%q].value = %q; f.dispatchEvent(new Event("input"))`, field, value))
}

func (p *tab) want(t *testing.T, expression string, want any) {
	t.Helper()
	var got any
	p.get(t, expression, &got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", expression, got, want)
	}
}

func (p *tab) eventually(t *testing.T, expression string, want any) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var got any
		if p.get(t, expression, &got); fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
	}
	p.want(t, expression, want)
}

func (p *tab) dark(t *testing.T) {
	t.Helper()
	p.b.send(t, p.session, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}})
}

func (p *tab) shot(t *testing.T, name string) {
	t.Helper()
	if *shots == "" {
		return
	}
	var r struct {
		Data string `json:"data"`
	}
	decode(t, p.b.send(t, p.session, "Page.captureScreenshot", map[string]any{"format": "png"}), &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// clean wants that the page asked for nothing but itself, and that nothing
// went wrong: no exception, no console message, no blocked script.
func (p *tab) clean(t *testing.T) {
	t.Helper()
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	opened := false
	for _, m := range p.b.events {
		if m.Session != p.session {
			continue
		}
		switch m.Method {
		case "Network.requestWillBeSent":
			var r struct {
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
			}
			decode(t, m.Params, &r)
			url, _, _ := strings.Cut(r.Request.URL, "#")
			opened = opened || url == p.url
			if url != p.url && !strings.HasPrefix(url, "data:") {
				t.Errorf("a request for %s", r.Request.URL)
			}
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening":
			t.Errorf("%s: %s", m.Method, m.Params)
		}
	}
	if !opened {
		t.Error("requests were not seen at all, not even the page's own")
	}
}
