"""Reference values for exact power: every pair of counts is put to SciPy's own test, and
the binomial probabilities of the rejected ones (in the right direction) are added.

Run from this folder: python3 reference_power.py   (takes some minutes)
"""
import json
import platform

import scipy
from scipy.stats import binom, boschloo_exact, fisher_exact

CASES = []
REJECTED = {}


def rejected(test, n, alpha):
    """Pairs (base, variant) that the two-sided test rejects."""
    key = (test, n, alpha)
    if key not in REJECTED:
        call = fisher_exact if test == "fisher" else (lambda t: boschloo_exact(t, n=64))
        pairs = []
        for a in range(n + 1):
            for b in range(a):  # symmetric in the arms
                table = [[a, b], [n - a, n - b]]
                # Boschloo's value is below Fisher's one-sided sum; skip the hopeless ones.
                if test == "boschloo" and fisher_exact(table).pvalue > 8 * alpha:
                    continue
                if call(table).pvalue <= alpha:
                    pairs += [(a, b), (b, a)]
        REJECTED[key] = pairs
    return REJECTED[key]


for test, sizes in (("fisher", (10, 20, 30, 52, 60)), ("boschloo", (10, 15, 20, 30))):
    for n in sizes:
        for alpha in (0.05, 0.01):
            for base, variant in ((0.2, 0.02), (0.5, 0.1), (0.05, 0.4), (0.9, 0.6)):
                low = variant < base
                power = sum(float(binom.pmf(a, n, base) * binom.pmf(b, n, variant))
                            for a, b in rejected(test, n, alpha) if (b < a) == low)
                CASES.append({"test": test, "n": n, "base": base, "variant": variant, "alpha": alpha, "power": power})

head = {"call": "sum of scipy.stats.binom.pmf over the tables that fisher_exact or boschloo_exact(n=64) rejects",
        "versions": {"python": platform.python_version(), "scipy": scipy.__version__}}
with open("power.json", "w") as f:
    f.write(json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(map(json.dumps, CASES)) + "\n]}\n")
