package study

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Encode writes a study as a study.yaml for its folder, such that Parse gives an equal study. It leaves out what is the
// default anyway. A file or folder outside the study's own is an error, as no study.yaml could name it.
func Encode(s *Study) ([]byte, error) {
	c, err := s.relative()
	if err != nil {
		return nil, err
	}
	d := withDefaults()
	m := &mapping{}
	m.text("study", c.Name)
	m.text("title", c.Title)
	m.text("source", c.Source)
	m.text("conditions", c.Conditions)
	m.number("exposure", c.Exposure, 0)
	m.add("subject", encodeSubject(c.Subject, d.Subject))
	m.text("baseline", c.Baseline)
	m.add("variants", encodeVariants(c.Variants))
	m.add("controls", encodeControls(c.Controls))
	m.add("platforms", flow(list(c.Platforms)))
	m.add("stress", encodeStress(c.Stress))
	m.add("parameters", encodeParameters(c.Parameters))
	m.add("iterations", whole(int64(c.Iterations)))
	m.add("classes", encodeClasses(c.Classes))
	m.add("evidence", encodeEvidence(c.Evidence))
	claims := &mapping{}
	claims.number("tolerate", c.Claims.Tolerate, d.Claims.Tolerate)
	claims.number("margin", c.Claims.Margin, d.Claims.Margin)
	claims.number("confidence", c.Claims.Confidence, d.Claims.Confidence)
	m.add("claims", claims.flow())
	broken := &mapping{}
	broken.integer("retries", int64(c.Broken.Retries), int64(d.Broken.Retries))
	broken.number("at-most", c.Broken.AtMost, d.Broken.AtMost)
	m.add("broken", broken.flow())
	m.choice("keep", string(c.Keep), string(d.Keep))
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(m.node()); err != nil {
		return nil, fmt.Errorf("encode study %s: %w", s.Name, err)
	}
	if err := e.Close(); err != nil {
		return nil, fmt.Errorf("encode study %s: %w", s.Name, err)
	}
	return b.Bytes(), nil
}
