package stats

import "slices"

// highestPeak finds the largest value of f from its values on an increasing grid in
// (0, 1) and a golden section search around every peak of the grid that could hold it,
// among the first so many points.
func highestPeak(grid, values []float64, peaks int, f func(float64) float64) float64 {
	coarse, highest := slices.Max(values), 0.0
	for i := range peaks {
		if couldExceed(values, i, coarse) {
			left, right := neighbours(grid, i)
			highest = max(highest, f(grid[i]), goldenSection(left, right, f))
		}
	}
	return highest
}

// couldExceed says whether the peak at i, if it is one, may rise above best between the
// grid points: when the parabola through it and its neighbours, four times as high for
// safety, does. A peak at the end of the grid counts when it is within a tenth.
func couldExceed(values []float64, i int, best float64) bool {
	v := values[i]
	if i == 0 || i == len(values)-1 {
		return v >= 0.9*best
	}
	left, right := values[i-1], values[i+1]
	if left > v || right > v {
		return false
	}
	curve := 2*v - left - right
	if curve <= 0 {
		return v >= best
	}
	return v+(left-right)*(left-right)/(2*curve)+curve/10 >= best
}

func neighbours(grid []float64, i int) (left, right float64) {
	left, right = 0, 1
	if i > 0 {
		left = grid[i-1]
	}
	if i+1 < len(grid) {
		right = grid[i+1]
	}
	return left, right
}

// goldenSection narrows a bracket around a peak to a millionth of its width, which leaves
// the peak's value right to about 1e-12.
func goldenSection(left, right float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	a, b := right-ratio*(right-left), left+ratio*(right-left)
	fa, fb := f(a), f(b)
	for stop := 1e-6 * (right - left); right-left > stop; {
		if fa >= fb {
			right, b, fb = b, a, fa
			a = right - ratio*(right-left)
			fa = f(a)
		} else {
			left, a, fa = a, b, fb
			b = left + ratio*(right-left)
			fb = f(b)
		}
	}
	return max(fa, fb)
}
