// Package stats turns counts of failures into statements that survive an argument.
//
// It takes counts (failures of trials, per cell, stratum, block or round) and gives
// values: intervals, p-values, verdicts, sequential boundaries, sample sizes and
// warnings. It is the bottom of the pipeline: it knows nothing of tests, processes or
// files, imports no other package of this module, never prints, never reads a clock and
// draws random numbers only from a source that the caller hands over.
//
// The steps, in the order in which a report uses them:
//
//  1. A cell's rate: [Wilson], [ClopperPearson], [Jeffreys]; with several rounds in a
//     trial [KornGraubard], which measures how alike the rounds of one trial are.
//  2. A variant against its baseline, inside one stratum: [Newcombe] for the difference,
//     [Koopman] for the ratio, [Boschloo] or [Fisher] for the p-value, [Holm] over the
//     variants of a family.
//  3. Over strata, when somebody asks for it: [MantelHaenszel], with a homogeneity check.
//  4. The verdict: [Judge], the one place where fixed, better, worse, equivalent and
//     inconclusive are defined.
//  5. Before a campaign: [PlanCompare] and [PlanShowUnder]. During one: [NewGroupSequential],
//     [NewAnytime] and [WidthRule], which say after each look whether to go on.
//  6. Doubt: the functions that return a [Warning].
//
// Rates and levels are fractions in [0, 1], never percentages. A difference is variant
// minus baseline and a ratio is variant over baseline, so that "less failing" is negative
// and below one. Bad input (more failures than trials, no trials, a level outside (0, 1),
// NaN) is an error and never a number.
//
// # What stopping early saves
//
// Mean trials per arm at two-sided 5 % and the power of the fixed Fisher design, as
// stats/simulate measures them over 20,000 campaigns with a look after each block. Wald's
// sequential test, the bound for normal observations, takes 62.6 % of a fixed design.
//
//	rates       fixed Fisher   fixed Boschloo   group-sequential   anytime
//	16 % : 0 %  48             41               29.1 (60.6 %)      35.5 (73.9 %)
//	20 % : 2 %  52             45               30.2 (58.1 %)      35.2 (67.6 %)
//
// When the variants do not differ, stopping for futility ends a group-sequential campaign
// for 20 % : 2 % after 24.4 trials per arm instead of 47.0 (both rates 16 %), or 35.7
// instead of 48 (both 2 %). False verdicts, computed and not only
// simulated, stay below 5 % at every common rate.
//
// # Coverage
//
// The true coverage of the three single-rate intervals, by enumeration, is drawn in
// coverage.svg beside this file; the program in stats/coverage makes it.
package stats
