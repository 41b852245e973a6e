package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxFileName leaves room for an extension below the 255 bytes that file systems allow.
const maxFileName = 200

// fileNameOf has what a file name has in place of the separators of an id, and of what that takes the place of.
var fileNameOf = strings.NewReplacer("~", "%7E", "@", "%40", "+", "%2B", "/", "~", "#", "@", "!", "+")

// FileName is a file name for an attempt's id: no separators, distinct ids give distinct names.
func FileName(id string) string {
	name := fileNameOf.Replace(id)
	if len(name) <= maxFileName {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	return name[:maxFileName-17] + "-" + hex.EncodeToString(sum[:8])
}
