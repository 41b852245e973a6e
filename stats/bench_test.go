package stats

import (
	"fmt"
	"testing"
)

// A table of 20 cells of 10,000 trials: 19 variants against the baseline, with every
// number that a report shows. To stay under 50 ms.
func BenchmarkTable20Cells(b *testing.B) {
	base := Arm{Name: "baseline", Count: Count{1600, 10_000}}
	var variants []Arm
	for i := range 19 {
		variants = append(variants, Arm{Name: fmt.Sprint(i), Count: Count{int64(80 * i), 10_000}})
	}
	for b.Loop() {
		if _, err := Judge(base, variants, Claims{Tolerate: 0.02, Margin: 0.02}); err != nil {
			b.Fatal(err)
		}
	}
}

// To stay under 100 ms at 500 + 500.
func BenchmarkBoschloo(b *testing.B) {
	for _, n := range []int64{50, 500, 10_000} {
		b.Run(fmt.Sprintf("%d+%d", n, n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Boschloo(Count{n * 16 / 100, n}, Count{n * 12 / 100, n}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An exact plan for two arms that needs about 500 trials each. To stay under 2 s.
func BenchmarkPlanCompare(b *testing.B) {
	for _, test := range []Test{BoschlooTest, FisherTest} {
		b.Run(string(test), func(b *testing.B) {
			for b.Loop() {
				if _, err := PlanCompare(PlanRequest{Base: 0.16, Variant: 0.1, Test: test}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNewGroupSequential(b *testing.B) {
	for _, r := range []SequentialRequest{{Tell: &Tell{0.2, 0.02}}, {MaxPerArm: 200}, {MaxPerArm: 1000}} {
		b.Run(fmt.Sprintf("most=%d", r.MaxPerArm), func(b *testing.B) {
			for b.Loop() {
				if _, err := NewGroupSequential(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkClopperPearson(b *testing.B) {
	for _, n := range []int64{100, 1_000_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := ClopperPearson(Count{n / 10, n}, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
