package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/failrate/failrate/variants"
)

// unpackBuiltin writes a study that this program carries into the cache, once per content, and gives its folder.
func unpackBuiltin(cache, name string) (string, error) {
	digest, err := builtinDigest()
	if err != nil {
		return "", err
	}
	root := filepath.Join(cache, "studies", digest, name)
	dir := filepath.Join(root, "variants", name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(root), 0o700); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(root), ".unpack-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	if _, err := variants.Unpack(name, temp); err != nil {
		return "", err
	}
	if err := os.Rename(temp, root); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, nil // somebody else was quicker
		}
		return "", err
	}
	return dir, nil
}

// builtinDigest is the hex SHA-256 of every carried file, shortened.
func builtinDigest() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(variants.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(variants.FS, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(data))
		sum.Write(data)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}
