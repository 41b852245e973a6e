package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// digits is how many significant digits the JSON forms give a fraction. The last three or four of a float64 depend on
// the CPU, some of which multiply and add in one rounding.
const digits = 12

// writeJSON writes a value as JSON whose fractions have at most so many digits: the same counts give the same bytes on
// every machine.
func writeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(true) // no tag in a text can end the script element that holds it
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(shortened(b.Bytes()))
	return err
}

// shortened rounds the fractions of a JSON text. Whole numbers, and what is in strings, stay as they are.
func shortened(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			for ; text[end] != '"'; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			end++
		case c == '-' || c >= '0' && c <= '9':
			for end < len(text) && bytes.IndexByte([]byte("+-.eE0123456789"), text[end]) >= 0 {
				end++
			}
			out = append(out, fraction(text[i:end])...)
			i = end
			continue
		}
		out = append(out, text[i:end]...)
		i = end
	}
	return out
}

// fraction rounds a number, if it is one with too many digits.
func fraction(number []byte) []byte {
	if !bytes.ContainsAny(number, ".eE") || len(number) <= digits {
		return number
	}
	x, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return number
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	short, err := json.Marshal(x)
	if err != nil {
		return number
	}
	return short
}
