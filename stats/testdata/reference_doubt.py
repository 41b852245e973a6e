"""Reference values for the median, and for the exact checks of doubt by writing out every
order or split.

Run from this folder: python3 reference_doubt.py
"""
import itertools
import json
import platform
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import scipy
from scipy.stats import quantile_test

VERSIONS = {"python": platform.python_version(), "scipy": scipy.__version__, "numpy": np.__version__}
rng = np.random.default_rng(18530)


def write(name, call, cases):
    with open(name, "w") as f:
        f.write(json.dumps({"call": call, "versions": VERSIONS})[:-1] + ', "cases": [\n'
                + ",\n".join(map(json.dumps, cases)) + "\n]}\n")


cases = []
for n in list(range(6, 30)) + [50, 51, 100, 101, 333, 1000, 2500]:
    x = np.round(rng.lognormal(3, 1, n), 4)
    level = float(rng.choice([0.8, 0.9, 0.95]))
    interval = quantile_test(x, p=0.5).confidence_interval(confidence_level=level)
    cases.append({"x": x.tolist(), "level": level, "median": float(np.median(x)),
                  "low": float(interval.low), "high": float(interval.high)})
write("median.json", "numpy.median(x), scipy.stats.quantile_test(x, p=0.5).confidence_interval(level)", cases)

cases = []
for n in range(2, 15):
    for k in range(1, n):
        runs = Counter()
        for chosen in itertools.combinations(range(n), k):
            s = [i in chosen for i in range(n)]
            runs[1 + sum(a != b for a, b in zip(s, s[1:]))] += 1
        for r in runs:
            low = Fraction(sum(c for q, c in runs.items() if q <= r), comb(n, k))
            high = Fraction(sum(c for q, c in runs.items() if q >= r), comb(n, k))
            cases.append({"fails": k, "passes": n - k, "runs": r, "p": float(min(1, 2 * min(low, high)))})
write("runs.json", "fractions over itertools.combinations of all orders", cases)

cases = []
for _ in range(60):
    sizes = [int(v) for v in rng.integers(2, 25, rng.integers(2, 5))]
    total = int(rng.integers(1, min(9, sum(sizes) // 2 + 1)))
    n = sum(sizes)

    def statistic(split):
        rate = Fraction(total, n)
        return sum((k - m * rate) ** 2 / (m * rate * (1 - rate)) for k, m in zip(split, sizes))

    splits = {}
    for split in itertools.product(*(range(min(total, m) + 1) for m in sizes)):
        if sum(split) == total:
            ways = 1
            for k, m in zip(split, sizes):
                ways *= comb(m, k)
            splits[split] = ways
    keys = list(splits)
    observed = keys[int(rng.integers(len(keys)))]
    limit = statistic(observed)
    p = Fraction(sum(w for s, w in splits.items() if statistic(s) >= limit), comb(n, total))
    cases.append({"sizes": sizes, "fails": list(observed), "p": float(p)})
write("homogeneous.json", "fractions over all splits of the failures, ordered by Pearson's statistic", cases)
