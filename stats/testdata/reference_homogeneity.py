"""Reference values for the homogeneity of differences: the restricted rates come from a
general optimiser here and from halving in the package.

Run from this folder, after reference_strata.R: python3 reference_homogeneity.py
"""
import json
import platform

import numpy as np
import scipy
from scipy.optimize import minimize_scalar
from scipy.special import xlog1py, xlogy
from scipy.stats import chi2

cases = []
for c in json.load(open("mantelhaenszel.json"))["cases"]:
    d, total = c["rd"], 0.0
    for a, n1, k, n0 in zip(c["variant_k"], c["variant_n"], c["base_k"], c["base_n"]):
        def loss(p0):
            p1 = p0 + d
            return -(xlogy(a, p1) + xlog1py(n1 - a, -p1) + xlogy(k, p0) + xlog1py(n0 - k, -p0))
        low, high = max(0, -d), min(1, 1 - d)
        p0 = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
        p1 = p0 + d
        total += (a / n1 - k / n0 - d) ** 2 / (p1 * (1 - p1) / n1 + p0 * (1 - p0) / n0)
    cases.append({"p": float(chi2.sf(total, len(c["base_k"]) - 1))})
head = {"call": "scipy.stats.chi2.sf(sum of score statistics, strata-1), restricted rates by minimize_scalar",
        "versions": {"python": platform.python_version(), "scipy": scipy.__version__, "numpy": np.__version__}}
with open("homogeneity.json", "w") as f:
    f.write(json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n")
