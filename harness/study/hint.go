package study

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest gives the candidate that differs least from a mistyped word; empty when none is near.
func nearest(word string, candidates []string) string {
	const longest = 64 // no name is longer, and distance costs length × length
	if len(word) > longest {
		return ""
	}
	best, least := "", allowed(len(word))+1
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		best = completed(word, candidates)
	}
	return best
}

// allowed is how many letters may differ in a word: in a short one, almost any other word would be near.
func allowed(length int) int {
	switch {
	case length < 3:
		return 0
	case length < 4:
		return 1
	}
	return max(2, length/3)
}

// completed gives the only candidate that starts or ends with the word, such as SIGSEGV for SEGV.
func completed(word string, candidates []string) string {
	found := ""
	for _, c := range candidates {
		if len(word) < 3 || !strings.HasPrefix(c, word) && !strings.HasSuffix(c, word) {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

// suggest is a hint: the nearest candidate, or else all of them.
func suggest(word string, candidates []string) string {
	if best := nearest(word, candidates); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	const most = 20
	switch {
	case len(candidates) == 0:
		return ""
	case len(candidates) > most:
		return fmt.Sprintf("known are %s and %d more", strings.Join(candidates[:most], ", "), len(candidates)-most)
	}
	return "known are " + strings.Join(candidates, ", ")
}
