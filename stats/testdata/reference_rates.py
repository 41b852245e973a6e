"""Reference values for the Wilson interval; those of the beta family are made by
reference_rates.R, because scipy 1.17's betaincinv and beta.ppf answer 1.9e-6 for the
lower limit of 1000 of 10**9, where the right value is 9.4e-7.

Run from this folder: python3 reference_rates.py
"""
import json
import platform

import statsmodels
from statsmodels.stats.proportion import proportion_confint

COUNTS = [
    (0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 10), (1, 10), (5, 10), (9, 10), (10, 10),
    (0, 100), (1, 100), (2, 100), (16, 100), (50, 100), (84, 100), (99, 100), (100, 100),
    (3, 52), (7, 20), (1, 1000), (16, 1000), (1, 10**6), (5, 10**6), (123456, 10**6),
    (0, 10**9), (1, 10**9), (1000, 10**9), (10**8, 10**9), (5 * 10**8, 10**9),
    (10**9 - 1, 10**9), (10**9, 10**9),
]

cases = []
for k, n in COUNTS:
    for level in [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999]:
        low, high = proportion_confint(k, n, alpha=1 - level, method="wilson")
        cases.append({"k": k, "n": n, "level": level, "low": float(low), "high": float(high)})
head = {
    "call": "statsmodels.stats.proportion.proportion_confint(k, n, alpha=1-level, method='wilson')",
    "versions": {"python": platform.python_version(), "statsmodels": statsmodels.__version__},
}
with open("wilson.json", "w") as f:
    f.write(json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n")
