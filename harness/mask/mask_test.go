package mask

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
)

func newMask(t *testing.T, env []string, names ...string) *Mask {
	t.Helper()
	m, err := New(env, names, true)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestUsualNames: of an environment as CI systems make it, the secrets and nothing else are hidden.
func TestUsualNames(t *testing.T) {
	t.Parallel()
	env := []string{"GITHUB_TOKEN=ghs_abcdef", "AWS_SECRET_ACCESS_KEY=aws/secret+key", "PGPASSWORD=postgres1", "jira_token=lowercase1",
		"MY_SECRET=short", "PATH=/usr/bin:/bin", "GITHUB_SHA=0123456789", "TOKENS_SEEN=1234567", "NPM_CONFIG_AUTH=npm-auth-value",
		"GH_PAT=ghp_abcdef", "SMTP_PASS=smtp-pass", "S3_SECRET_KEY=s3-secret", "DOCKER_AUTH_CONFIG={auths}", "TWO_PATHS=/a/b/c"}
	m := newMask(t, env)
	text := "ghs_abcdef aws/secret+key postgres1 lowercase1 short /usr/bin:/bin 0123456789 1234567 npm-auth-value ghp_abcdef smtp-pass s3-secret {auths} /a/b/c"
	if got, want := m.String(text), "*** *** *** *** short /usr/bin:/bin 0123456789 1234567 *** *** *** *** *** /a/b/c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	none, err := New(env, nil, false)
	if err != nil || none.String(text) != text {
		t.Errorf("asked for nothing, it hides: %q, %v", none.String(text), err)
	}
	var nothing *Mask
	if nothing.String(text) != text || nothing.Reader(strings.NewReader(text)) == nil {
		t.Error("the nil Mask hides something")
	}
}

// TestGivenNames: any name will do, and a value that is everywhere is refused.
func TestGivenNames(t *testing.T) {
	t.Parallel()
	if got := newMask(t, []string{"LICENCE=key of mine"}, "LICENCE", "NOT_SET").String("the key of mine."); got != "the ***." {
		t.Errorf("%q", got)
	}
	if _, err := New([]string{"X=1"}, []string{"X"}, true); err == nil || strings.Contains(err.Error(), "1 ") {
		t.Errorf("a value of one character is hidden: %v", err)
	}
	if _, err := New([]string{"X="}, []string{"X"}, true); err != nil {
		t.Errorf("an empty value: %v", err)
	}
}

// TestOtherSpellings of a value are hidden as well, and each line of one that has several.
func TestOtherSpellings(t *testing.T) {
	t.Parallel()
	secret := `p"a<s>s &w/ör\d`
	inJSON, err := json.Marshal(map[string]string{"k": secret})
	if err != nil {
		t.Fatal(err)
	}
	m := newMask(t, []string{"A_TOKEN=" + secret, "A_PRIVATE_KEY=-----BEGIN-----\nfirst line\nsecond line\n"})
	for _, text := range []string{
		secret, string(inJSON), url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)),
		"first line", "\tsecond line\r\n", "-----BEGIN-----\nfirst line\nsecond line\n",
	} {
		got := m.String(text)
		if !strings.Contains(got, Hidden) || strings.Contains(got, "ör") || strings.Contains(got, "line") {
			t.Errorf("%q is left as %q", text, got)
		}
	}
}

// TestReaderIsString for random texts in which secrets overlap and contain each other, however the reads fall.
func TestReaderIsString(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		env := []string{"A_TOKEN=aabbaa", "B_TOKEN=aabbaabb", "C_TOKEN=bbaabbb"}
		m := newMask(t, env)
		var text strings.Builder
		for range random.IntN(40) {
			text.WriteString([]string{"a", "b", "aa", "bb", "aabbaa", "x"}[random.IntN(6)])
		}
		want := m.String(text.String())
		for _, secret := range []string{"aabbaa", "bbaabbb"} {
			if strings.Contains(want, secret) {
				t.Fatalf("%d: %q keeps a secret: %q", n, text.String(), want)
			}
		}
		for how, r := range map[string]io.Reader{
			"whole": strings.NewReader(text.String()), "byte by byte": iotest.OneByteReader(strings.NewReader(text.String())),
			"with its end": iotest.DataErrReader(strings.NewReader(text.String())),
		} {
			got, err := io.ReadAll(m.Reader(r))
			if err != nil || string(got) != want {
				t.Fatalf("%d: %s: %q, want %q (%v)", n, how, got, want, err)
			}
		}
	}
}

// TestReaderLargeAndBroken: a secret across the chunks of a large stream, and an error after what came before it.
func TestReaderLargeAndBroken(t *testing.T) {
	t.Parallel()
	m := newMask(t, []string{"A_TOKEN=0123456789"})
	text := strings.Repeat("x", chunk-5) + "0123456789" + strings.Repeat("y", 3*chunk) + "0123456789"
	got, err := io.ReadAll(m.Reader(strings.NewReader(text)))
	if err != nil || string(got) != strings.ReplaceAll(text, "0123456789", Hidden) {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
	broken := errors.New("broken")
	got, err = io.ReadAll(m.Reader(io.MultiReader(strings.NewReader("a0123456789b"), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) || string(got) != "a"+Hidden+"b" {
		t.Errorf("%q, %v", got, err)
	}
}
