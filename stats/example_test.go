package stats_test

import (
	"fmt"

	"github.com/failrate/failrate/stats"
)

// One stratum of a finished campaign of fixed size: 100 trials per cell.
func ExampleJudge() {
	base := stats.Arm{Name: "baseline", Count: stats.Count{K: 16, N: 100}}
	variants := []stats.Arm{
		{Name: "leaders-only", Count: stats.Count{K: 0, N: 100}},
		{Name: "old-client", Count: stats.Count{K: 12, N: 100}},
	}
	comparisons, err := stats.Judge(base, variants, stats.Claims{Tolerate: 0.04})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range comparisons {
		fmt.Printf("%s: %s\n", c.Variant, stats.Words(variants[i].Count, c.Rate))
		fmt.Printf("  %s: %s\n", c.Verdict, c.Reason)
		if c.Further != nil {
			fmt.Printf("  about %d further trials per arm would settle it (%s)\n", c.Further.PerArm, c.Further.Toward)
		}
	}
	// Output:
	// leaders-only: 0 of 100: the rate could still be 3.7 %
	//   fixed: adjusted p 1.8e-05 is below 0.05, and the rate is at most 3.7 %, within the tolerated 4 %
	// old-client: 12 of 100: 12 % (6.9 % to 19.9 %)
	//   inconclusive: adjusted p 0.46 is not below 0.05; difference -13.8 to 5.8 percentage points
	//   about 1330 further trials per arm would settle it (better)
}

// A campaign that stops early: the design says when to look, the campaign feeds the
// failures of whole blocks, and every number of a look stays valid.
func ExampleGroupSequential() {
	design, err := stats.NewGroupSequential(stats.SequentialRequest{
		Tell:  &stats.Tell{Base: 0.20, Variant: 0.02},
		Every: 5,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	promise := design.Operating(0.20, 0.02)
	fmt.Printf("at most %d trials per arm, %.0f on average, power %.2f\n", design.MaxPerArm(), promise.MeanArm, promise.Better)
	failures := map[int][2]int64{5: {1, 0}, 10: {3, 0}, 15: {4, 0}, 20: {6, 0}, 25: {8, 0}}
	for n := design.Next(); n > 0; n = design.Next() {
		look, err := design.Look(stats.Count{K: failures[n][0], N: int64(n)}, stats.Count{K: failures[n][1], N: int64(n)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d: %s, %s\n", n, look.Decision, look.Verdict)
	}
	// Output:
	// at most 49 trials per arm, 32 on average, power 0.81
	// 5: continue, inconclusive
	// 10: continue, inconclusive
	// 15: continue, inconclusive
	// 20: verdict, better
}
