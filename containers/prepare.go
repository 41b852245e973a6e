package containers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/harness/trial/tree"
)

// DefaultPatience bounds a pull, a build, one set-up command, and the making of an image from what they left.
const DefaultPatience = time.Hour

// PrepareOptions says what one variant's trials run in.
type PrepareOptions struct {
	Image      study.Image         // by name, built from a folder, or "scratch"; its Args complete
	Tree       string              // absolute folder that becomes the working directory of the trials; empty means none
	TreeDigest string              // tree.Digest of it; empty means that Prepare computes it
	Setup      [][]string          // commands run once in the tree inside the image, with network
	Env        []string            // NAME=value for the set-up
	Swap       map[string]string   // other images to use, by the name that the study gives (see SwapVariable)
	Getenv     func(string) string // looks the swap variables up; nil means os.Getenv
	Agent      AgentFunc           // makes the agent; required
	Owner      Owner               // goes on the labels of what is made
	Log        io.Writer           // takes the output of pulls, builds and set-up; nil means nobody wants it
	Patience   time.Duration       // 0 means DefaultPatience
}

// Image is what a variant's containers are made from: the base image, the tree, what set-up left, and the agent, as
// one image whose layers every container shares copy-on-write.
type Image struct {
	ID     string      // such as sha256:…
	Holder string      // id of the image that holds the agent alone
	Facts  trial.Facts // image (its name), image-digest (the base's), tree (digest), and image-swapped-for if so
	Reused bool        // made by an earlier Prepare from the same base, tree, set-up and agent
	Err    error       // set by the caller when the variant could not be prepared: every attempt is a fault
}

// Prepare makes the image for one variant, or finds it among those that earlier calls made. Set-up that fails is a
// *SetupError.
func (e *Engine) Prepare(ctx context.Context, o PrepareOptions) (Image, error) {
	o = o.complete()
	base, err := e.base(ctx, o)
	if err != nil {
		return Image{}, err
	}
	p := preparation{engine: e, options: o, base: base}
	if p.agent, err = o.Agent(ctx, "linux", base.arch); err != nil {
		return Image{}, err
	}
	if p.agentDigest, err = fileDigest(p.agent); err != nil {
		return Image{}, fmt.Errorf("read the container agent: %w", err)
	}
	if o.Tree != "" && o.TreeDigest == "" {
		if p.options.TreeDigest, err = tree.Digest(ctx, o.Tree); err != nil {
			return Image{}, err
		}
	}
	out := Image{Facts: p.facts()}
	if out.Holder, err = p.holder(ctx); err != nil {
		return Image{}, err
	}
	key := p.key()
	if out.ID, err = e.findImage(ctx, key); err != nil || out.ID != "" {
		out.Reused = err == nil
		return out, err
	}
	out.ID, err = p.make(ctx, key, out.Holder)
	return out, err
}

func (o PrepareOptions) complete() PrepareOptions {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	return o
}

// preparation is one call of Prepare.
type preparation struct {
	engine      *Engine
	options     PrepareOptions
	base        base
	agent       string // path of the program
	agentDigest string
}

func (p preparation) facts() trial.Facts {
	f := trial.Facts{"image": p.base.name}
	if p.base.digest != "" {
		f["image-digest"] = p.base.digest
	}
	if p.options.TreeDigest != "" {
		f["tree"] = p.options.TreeDigest
	}
	if p.base.asked != p.base.name {
		f["image-swapped-for"] = p.base.asked
	}
	return f
}

// key is the digest of everything that decides the prepared image's content.
func (p preparation) key() string {
	return keyOf("image", p.base.id, p.options.TreeDigest, p.options.Setup, p.options.Env, p.agentDigest)
}

func keyOf(parts ...any) string {
	b, err := json.Marshal(append([]any{agent.Version}, parts...))
	if err != nil { // strings and lists of strings
		panic(fmt.Sprintf("containers: encode key: %v", err))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func preparedTag(key string) imageTag { return imageTag{"failrate-prepared", key[:24]} }

// findImage looks for an image by its key; empty when there is none.
func (e *Engine) findImage(ctx context.Context, key string) (string, error) {
	list, err := call(ctx, e, "list images", func(ctx context.Context) ([]image.Summary, error) {
		return e.cli.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelKey+"="+key))})
	})
	if err != nil || len(list) == 0 {
		return "", err
	}
	newest := list[0]
	for _, s := range list {
		if s.Created > newest.Created {
			newest = s
		}
	}
	return newest.ID, nil
}

// make makes the image: from a tar alone where nothing has to run, else in a container that is then committed.
func (p preparation) make(ctx context.Context, key, holder string) (string, error) {
	labels := labelled(p.options.Owner.labels(), kindImage, map[string]string{labelKey: key, labelBase: p.base.name})
	if p.base.id != "" {
		return p.inContainer(ctx, p.base.id, key, labels)
	}
	if len(p.options.Setup) > 0 {
		return p.inContainer(ctx, holder, key, labels)
	}
	return p.imported(ctx, p.options.Tree, key, labels)
}

// holder makes the image with the agent alone, from which the containers are made that only hold a network namespace.
func (p preparation) holder(ctx context.Context) (string, error) {
	key := keyOf("holder", p.agentDigest)
	id, err := p.engine.findImage(ctx, key)
	if err != nil || id != "" {
		return id, err
	}
	labels := labelled(p.options.Owner.labels(), kindImage, map[string]string{labelKey: key, labelBase: scratch})
	return p.imported(ctx, "", key, labels)
}

// imported makes an image without a base from a tar of the agent and the tree.
func (p preparation) imported(ctx context.Context, root, key string, labels map[string]string) (string, error) {
	content := pipeTar(func(t *tarWriter) error {
		t.program(p.agent)
		t.folder("tmp", 0o1777)
		return t.tree(root)
	})
	defer content.Close()
	id, err := callFor(ctx, p.options.Patience, "import image", func(ctx context.Context) (string, error) {
		r, err := p.engine.cli.ImageImport(ctx, image.ImportSource{Source: content, SourceName: "-"},
			preparedTag(key).String(), image.ImportOptions{Changes: changes(labels)})
		if err != nil {
			return "", err
		}
		defer r.Close()
		return readProgress(r, p.options.Log)
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

// changes are the instructions that give an image its labels.
func changes(labels map[string]string) (lines []string) {
	for _, k := range sortedKeys(labels) {
		lines = append(lines, fmt.Sprintf("LABEL %s=%s", k, dockerQuote(labels[k])))
	}
	return append(lines, "WORKDIR "+agent.Tree)
}
