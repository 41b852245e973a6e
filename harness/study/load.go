package study

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// What a study has that does not say otherwise.
const (
	DefaultIterations        = 100
	DefaultControlIterations = 5
	DefaultTimeout           = 10 * time.Minute
	DefaultGrace             = 10 * time.Second
	DefaultMaxOutput         = 64 << 20 // bytes
	DefaultTolerate          = 0.02
	DefaultMargin            = 0.05
	DefaultConfidence        = 0.95
	DefaultRetries           = 2
	DefaultBrokenAtMost      = 0.2
)

// FileName is the file that makes a folder a study.
const FileName = "study.yaml"

// Load reads a study: a folder with a study.yaml, or the file itself. What is wrong with the study comes as Errors, all
// of it at once; that there is no such file is an error of another type.
func Load(path string) (*Study, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	if info.IsDir() {
		path = filepath.Join(path, FileName)
		if info, err = os.Stat(path); err != nil {
			return nil, fmt.Errorf("study: the folder has no %s: %w", FileName, err)
		}
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("study: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("study: read %s: %w", path, err)
	}
	return Parse(path, data, filepath.Dir(path))
}

// Parse reads a study from bytes. The name stands before the positions of its errors; dir is the folder that the
// study's paths are relative to. What is wrong with the study comes as Errors.
func Parse(name string, data []byte, dir string) (*Study, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("study folder: %w", err)
	}
	folder, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fmt.Errorf("study folder: %w", err)
	}
	defer folder.Close()
	root, err := document(name, data)
	if err != nil {
		return nil, err
	}
	s := withDefaults()
	s.Dir = absolute
	r := &reader{file: name, root: folder, dir: absolute, homes: tables(), study: s}
	at := readKeys(r, root, "study", studyKeys, s)
	if len(r.errs) == 0 {
		r.finish(root, at)
	}
	if len(r.errs) > 0 {
		return nil, r.errs.sorted()
	}
	return s, nil
}

// withDefaults is a study that says nothing.
func withDefaults() *Study {
	return &Study{
		Subject: Subject{
			Results: Results{Format: ResultExit, RetriedPass: retriedFail},
			Timeout: DefaultTimeout, Grace: DefaultGrace, MaxOutput: DefaultMaxOutput,
			Isolation: Isolation{Native: NativeShared, Container: ContainerFresh},
			Network:   NetworkNone,
		},
		Stress:     []Stress{{Name: "none", Place: Beside}},
		Iterations: DefaultIterations,
		Claims:     Claims{Tolerate: DefaultTolerate, Margin: DefaultMargin, Confidence: DefaultConfidence},
		Broken:     BrokenPolicy{Retries: DefaultRetries, AtMost: DefaultBrokenAtMost},
		Keep:       KeepFailed,
	}
}

// tables gives every mapping's keys by the mapping's name, as the JSON Schema names it.
func tables() map[string][]string {
	return map[string][]string{
		"study": names(studyKeys), "subject": names(subjectKeys), "git": names(gitKeys), "image": names(imageKeys),
		"results": names(resultsKeys), "isolation": names(isolationKeys), "limits": names(limitsKeys),
		"variant": names(variantKeys), "control": names(controlKeys), "expect": names(expectKeys),
		"stress": names(stressKeys), "quota": names(quotaKeys), "class": names(classKeys),
		"evidence": names(evidenceKeys), "claims": names(claimsKeys), "broken": names(brokenKeys),
		"service": names(serviceKeys), "ready": names(readyKeys), "serviceChange": names(serviceChangeKeys),
		"step": names(stepKeys), "stepClass": names(stepClassKeys),
	}
}
