package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	printing "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/failrate/failrate/stats"
)

// TestHostileHTMLGolden keeps the page of the hostile table, without the parts that are files of their own.
func TestHostileHTMLGolden(t *testing.T) {
	t.Parallel()
	text := string(render(t, func(b *bytes.Buffer) error { return HTML(b, hostileTable(t)) }))
	for _, part := range []string{pageCSS, plotJS, pageJS} {
		if strings.Count(text, part) != 1 {
			t.Errorf("a part is not in the page once: %.60q", part)
		}
		text = strings.Replace(text, part, "…", 1)
	}
	for _, bad := range []string{"<img", "onerror=alert(1)>", "\x1b", "</script><!--", "https://evil.example/x\""} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	golden(t, "hostile.html", []byte(text))
}

// browser is one headless Chromium, and what it has to say about a page.
type browser struct {
	ctx      context.Context
	mu       sync.Mutex
	problems []string
	requests []string
}

// newBrowser starts Debian's Chromium on a profile of its own; without one the test is skipped, unless REQUIRE_CHROMIUM
// is set.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("REQUIRE_CHROMIUM") != "" {
			t.Fatal("no Chromium found (apt-get install chromium)")
		}
		t.Skip("SKIPPED: no Chromium found (apt-get install chromium); the page was not looked at in a browser")
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewContext(alloc)
	b := &browser{ctx: ctx}
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits for the browser to end
		cancel()
		stop()
	})
	chromedp.ListenTarget(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			b.problems = append(b.problems, fmt.Sprintf("console: %v", e.Type))
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Error())
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		}
	})
	return b
}

// show opens a page file at a width and waits until its charts are drawn.
func (b *browser) show(t testing.TB, file string, width int64) {
	t.Helper()
	b.run(t, network.Enable(), emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
		chromedp.Navigate("file://"+file), chromedp.WaitReady(`body[data-ready="yes"]`))
}

func (b *browser) run(t testing.TB, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		t.Fatalf("browser: %v; it said %q", err, b.problems)
	}
}

// value evaluates an expression to JSON.
func value[T any](t testing.TB, b *browser, expression string) (out T) {
	t.Helper()
	var text string
	b.run(t, chromedp.Evaluate("JSON.stringify("+expression+")", &text))
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func pageFile(t testing.TB, table *Table) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, render(t, func(b *bytes.Buffer) error { return HTML(b, table) }), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPageInABrowser looks at the page of a campaign in a real browser.
func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	table := plainTable(t, 40)
	file := pageFile(t, table)
	for _, width := range []int64{390, 1400} {
		b.show(t, file, width)
		b.compare(t, table)
		b.filters(t, table)
		if over := value[int64](t, b, "document.documentElement.scrollWidth"); over > width {
			t.Errorf("at %d pixels the page is %d wide", width, over)
		}
		b.screenshot(t, fmt.Sprintf("page-%d.png", width))
	}
	b.run(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	if got := value[string](t, b, "getComputedStyle(document.body).backgroundColor"); got != "rgb(22, 24, 27)" {
		t.Errorf("in the dark the page is %s", got)
	}
	b.screenshot(t, "page-dark.png")
	b.quiet(t, file)
}

// TestPageOnPaper prints the page of a reader who prefers the dark: light, without what paper cannot do, with everything
// unfolded and every trial listed, and with charts that end within the sheet.
func TestPageOnPaper(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	table := plainTable(t, 40)
	b.show(t, pageFile(t, table), 1400)
	b.run(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	var pdf []byte
	b.run(t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = printing.PrintToPDF().WithPreferCSSPageSize(false).WithPrintBackground(true).Do(ctx)
		return err
	}))
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1)); n < 3 {
		t.Errorf("the PDF of %d bytes has %d pages", len(pdf), n)
	}
	const sheet = 718 // of A4 without its margins, in pixels
	b.run(t, emulation.SetDeviceMetricsOverride(sheet, 1000, 1, false), emulation.SetEmulatedMedia().WithMedia("print").
		WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}), chromedp.Evaluate(`dispatchEvent(new Event("beforeprint"))`, nil))
	if got := value[string](t, b, "getComputedStyle(document.body).backgroundColor"); got != "rgb(255, 255, 255)" {
		t.Errorf("on paper the page is %s", got)
	}
	for what, expression := range map[string]string{
		"controls that show":      `[...document.querySelectorAll(".filters, #more, .skip, summary, details.screen")].filter(e => e.getClientRects().length).length`,
		"folded parts":            `[...document.querySelectorAll("details:not(.screen)")].filter(e => !e.open).length`,
		"charts that leave it":    `[...document.querySelectorAll("figure svg")].filter(e => { const r = e.getBoundingClientRect(); return r.right > innerWidth + 1 || r.left < 0 || !r.width; }).length`,
		"tables that are cut":     `[...document.querySelectorAll(".wide")].filter(e => e.scrollWidth > e.clientWidth + 1).length`,
		"trials that do not show": `JSON.parse(document.getElementById("data").textContent).trials.length - document.querySelectorAll("#list article").length`,
	} {
		if n := value[int](t, b, expression); n != 0 {
			t.Errorf("%s on paper: %d", what, n)
		}
	}
	for _, c := range table.cellsOf() {
		for _, want := range []string{fmt.Sprintf("%d/%d", c.Rate.K, c.Rate.N), intervalText(*c)} {
			if !value[bool](t, b, fmt.Sprintf("document.body.innerText.includes(%q)", want)) {
				t.Errorf("%s is not on paper", want)
			}
		}
	}
	b.screenshot(t, "page-paper.png")
}

// TestPageByKeyboardAndEar holds what those need who use neither mouse nor screen: every control has a name, tables have
// captions and headings of rows and columns, charts have a label and their numbers, headings do not skip a level, and the
// Tab key first offers the way past the charts and then goes down the page.
func TestPageByKeyboardAndEar(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.show(t, pageFile(t, plainTable(t, 20)), 1400)
	for what, expression := range map[string]string{
		"controls without a name":                      `[...document.querySelectorAll("input, select, button, summary, [role=region]")].filter(e => !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby"))).length`,
		"tables without a caption":                     `[...document.querySelectorAll("table")].filter(t => !t.caption || !t.querySelector("thead th[scope=col]") || !t.querySelector("tbody th[scope=row]")).length`,
		"charts without a label":                       `[...document.querySelectorAll("figure svg")].filter(e => !e.closest("figure").getAttribute("aria-label") || !e.getAttribute("aria-label")).length`,
		"scrolling parts that a keyboard cannot reach": `[...document.querySelectorAll(".wide, article > pre")].filter(e => e.tabIndex !== 0).length`,
		"levels of headings that are skipped":          `[...document.querySelectorAll("h1, h2, h3, h4")].map(h => +h.tagName[1]).filter((n, i, all) => i && n > all[i-1] + 1).length`,
		"parts with an order of their own":             `document.querySelectorAll("[tabindex]:not([tabindex='0'])").length`,
	} {
		if n := value[int](t, b, expression); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	b.run(t, chromedp.KeyEvent("\t"))
	if got := value[string](t, b, "document.activeElement.textContent"); !strings.HasPrefix(got, "Skip to the trials") {
		t.Errorf("the first Tab goes to %q", got)
	}
	b.run(t, chromedp.KeyEvent("\r"), chromedp.KeyEvent("\t"))
	if got := value[string](t, b, "document.activeElement.id"); got != "f-text" {
		t.Errorf("after the skip, Tab goes to %q, want the filter", got)
	}
}

// TestHostilePageInABrowser holds that nothing of the hostile table runs or is fetched.
func TestHostilePageInABrowser(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.String() }))
	t.Cleanup(server.Close)
	b := newBrowser(t)
	table := hostileTable(t)
	table.Footnotes = append(table.Footnotes, `<img src="`+server.URL+`/x">`)
	file := pageFile(t, table)
	b.show(t, file, 1400)
	if n := value[int](t, b, `document.querySelectorAll("img, iframe, object, embed, a[href^=http], article script, table script").length`); n != 0 {
		t.Errorf("%d elements came alive", n)
	}
	b.run(t, chromedp.Evaluate(`fetch("`+server.URL+`/leak").catch(() => {})`, nil)) // the policy forbids it
	b.mu.Lock()
	b.problems, b.requests = nil, b.requests[:1] // the browser says so on the console, and names the request
	b.mu.Unlock()
	if len(asked) > 0 {
		t.Errorf("the page fetched %s", <-asked)
	}
	b.quiet(t, file)
}

// compare holds the numbers on the page against the JSON form.
func (b *browser) compare(t *testing.T, table *Table) {
	t.Helper()
	var doc document
	if err := json.Unmarshal(render(t, func(w *bytes.Buffer) error { return JSON(w, table) }), &doc); err != nil {
		t.Fatal(err)
	}
	labels := value[[]string](t, b, `[...document.querySelectorAll(".intervals [aria-label*=' of ']")].map(e => e.getAttribute("aria-label"))`)
	rows := value[[][]string](t, b, `[...document.querySelectorAll(".stratum tbody tr")].map(r => [...r.children].map(c => c.textContent))`)
	drawn := value[[]int](t, b, `["intervals","outcomes","cumulative","durations","timeline","curve"].map(k => document.querySelectorAll("."+k+" svg").length)`)
	if len(labels) != len(doc.Cells) || len(rows) != len(doc.Cells) {
		t.Fatalf("%d labels and %d rows for %d cells", len(labels), len(rows), len(doc.Cells))
	}
	for i, c := range doc.Cells {
		if want := fmt.Sprintf("%s: %d of %d, ", c.Variant, c.K, c.N); !strings.HasPrefix(labels[i], want) || !strings.Contains(labels[i], stats.Range(stats.Interval{Low: *c.Low, High: *c.High})) {
			t.Errorf("the chart says %q of cell %d, want %q and %s", labels[i], i, want, stats.Range(stats.Interval{Low: *c.Low, High: *c.High}))
		}
		if rows[i][1] != fmt.Sprintf("%d/%d", c.K, c.N) || rows[i][3] != stats.Range(stats.Interval{Low: *c.Low, High: *c.High}) {
			t.Errorf("row %d is %q, want %d/%d", i, rows[i], c.K, c.N)
		}
	}
	for kind, want := range map[string]int{".cumulative": 18, ".curve": 6} { // a line for every variant of every chart
		if n := value[int](t, b, `[...document.querySelectorAll("`+kind+` g[aria-label=line] path")].filter(p => p.getAttribute("d").length > 20).length`); n != want {
			t.Errorf("%s has %d lines, want %d", kind, n, want)
		}
	}
	for i, n := range drawn {
		if want := []int{6, 6, 6, 6, 12, 2}[i]; n != want {
			t.Errorf("charts of kind %d: %d, want %d", i, n, want)
		}
	}
}

// filters uses the list of trials as a reader would.
func (b *browser) filters(t *testing.T, table *Table) {
	t.Helper()
	all, failed, leaders := 0, 0, 0
	for _, c := range table.cellsOf() {
		all += c.Counts.Fail + c.Counts.Timeout + c.Counts.Excluded()
		failed += c.Counts.Fail
		if c.Variant == "old-client" {
			leaders += c.Counts.Fail
		}
	}
	count := func(want int) {
		t.Helper()
		if got := value[string](t, b, `document.getElementById("count").textContent`); !strings.HasPrefix(got, fmt.Sprintf("%d of %d trials", want, all)) {
			t.Errorf("the list says %q, want %d of %d", got, want, all)
		}
	}
	choose := func(id, v string) {
		t.Helper()
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`, id, v), nil))
	}
	count(all)
	choose("f-outcome", "fail")
	count(failed)
	choose("f-variant", "old-client")
	count(leaders)
	if got := value[int](t, b, `document.querySelectorAll("#list article").length`); got != min(leaders, 50) {
		t.Errorf("%d trials are listed, want %d", got, min(leaders, 50))
	}
	text := value[string](t, b, `document.querySelector("#list article").textContent`)
	for _, want := range []string{"old-client/container/cpu-2x/delay=0s#", "fail (committed)", "Broken pipe", "evidence: recovered", "--variant old-client --param delay=0s", "logs/"} {
		if !strings.Contains(text, want) {
			t.Errorf("the first trial does not say %q: %q", want, text)
		}
	}
	choose("f-text", "no such text anywhere")
	count(0)
	b.run(t, chromedp.Click(`button[type=reset]`), chromedp.Poll(`document.getElementById("count").textContent.startsWith("`+fmt.Sprint(all)+` of")`, nil))
	choose("f-text", "BROKEN PIPE")
	count(failed)
	choose("f-text", "")
	before := value[int](t, b, `document.querySelectorAll("#list article").length`)
	b.run(t, chromedp.Focus("#more"), chromedp.KeyEvent("\r"))
	if after := value[int](t, b, `document.querySelectorAll("#list article").length`); after <= before {
		t.Errorf("by the keyboard, %d trials are listed after %d", after, before)
	}
}

// quiet holds that nothing was said on the console and nothing was asked of anyone.
func (b *browser) quiet(t *testing.T, file string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.problems) > 0 {
		t.Errorf("the browser said %q", b.problems)
	}
	for _, r := range b.requests {
		if r != "file://"+file && !strings.HasPrefix(r, "data:") {
			t.Errorf("a request left the page: %s", r)
		}
	}
	if len(b.requests) == 0 {
		t.Error("not even the page was seen to load: the test sees no requests")
	}
}

// screenshot keeps what the page looks like when SCREENSHOTS names a folder.
func (b *browser) screenshot(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	var png []byte
	b.run(t, chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(dir, name), png, 0o600); err != nil {
		t.Fatal(err)
	}
}
