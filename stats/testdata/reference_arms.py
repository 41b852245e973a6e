"""Reference values for two arms: Newcombe, Koopman, Fisher, Boschloo, Holm.

Run from this folder: python3 reference_arms.py

boschloo_exact searches the common rate with shgo from a few starting points and can end
on a lower peak, so it is run with many points (n=512).
"""
import json
import platform
import warnings

import numpy as np
import scipy
import statsmodels
from scipy.stats import boschloo_exact, fisher_exact
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

warnings.filterwarnings("ignore")

VERSIONS = {"python": platform.python_version(), "scipy": scipy.__version__,
            "statsmodels": statsmodels.__version__}

# base failures, base trials, variant failures, variant trials
ARMS = [
    (16, 100, 0, 100), (16, 100, 2, 100), (2, 100, 16, 100), (10, 52, 1, 52), (10, 50, 1, 52),
    (5, 50, 0, 50), (0, 50, 5, 50), (74, 105, 43, 75), (7, 12, 8, 25), (3, 3, 0, 3), (1, 10, 1, 10),
    (1, 10, 2, 10), (9, 10, 2, 10), (4, 5, 1, 40), (12, 40, 3, 7), (50, 100, 50, 100),
    (80, 500, 50, 500), (5, 500, 1, 500), (250, 500, 200, 500), (30, 60, 20, 60), (99, 100, 90, 100),
    (20, 25, 10, 25), (6, 20, 15, 25), (16, 38, 24, 46), (8, 41, 27, 39), (12, 41, 21, 46),
    (2, 30, 9, 28), (1, 200, 9, 210), (60, 61, 55, 60), (13, 17, 3, 19), (40, 80, 10, 20), (3, 8, 3, 9),
    (1, 1, 0, 1), (5, 1000, 15, 900), (100, 1000, 60, 1000),
]
LARGE = [(1600, 10000, 1500, 10000), (10, 10**6, 40, 10**6)]
# scipy's hypergeometric is right to eight digits only at (1000, 10**8, 1200, 10**8); that
# case is in the Go test with a value from mpmath.


def write(name, call, cases):
    with open(name, "w") as f:
        f.write(json.dumps({"call": call, "versions": VERSIONS})[:-1] + ', "cases": [\n'
                + ",\n".join(map(json.dumps, cases)) + "\n]}\n")


def table(kb, nb, kv, nv):
    return [[kb, kv], [nb - kb, nv - kv]]


def interval(arms, level, **how):
    kb, nb, kv, nv = arms
    return confint_proportions_2indep(kv, nv, kb, nb, alpha=1 - level, **how)


newcombe, koopman, fisher, boschloo, holm = [], [], [], [], []
for arms in ARMS + LARGE:
    fisher.append({"arms": arms, "p": float(fisher_exact(table(*arms))[1])})
    for level in (0.9, 0.95, 0.99):
        low, high = interval(arms, level, method="newcomb", compare="diff")
        newcombe.append({"arms": arms, "level": level, "low": float(low), "high": float(high)})
        if arms[0] and arms[2] and arms[1] < 10**6:  # statsmodels cannot bracket the rest
            low, high = interval(arms, level, method="score", compare="ratio", correction=False)
            koopman.append({"arms": arms, "level": level, "low": float(low), "high": float(high)})
for arms in ARMS:
    boschloo.append({"arms": arms, "p": float(boschloo_exact(table(*arms), n=512).pvalue)})

rng = np.random.default_rng(20240501)
for i in range(40):
    p = np.round(rng.beta(0.5, 2, size=1 + i % 9), 4).tolist()
    holm.append({"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()})

write("newcombe.json", "statsmodels confint_proportions_2indep(kv, nv, kb, nb, method='newcomb', compare='diff')", newcombe)
write("koopman.json", "statsmodels confint_proportions_2indep(kv, nv, kb, nb, method='score', compare='ratio', correction=False)", koopman)
write("fisher.json", "scipy.stats.fisher_exact([[kb, kv], [nb-kb, nv-kv]])", fisher)
write("boschloo.json", "scipy.stats.boschloo_exact([[kb, kv], [nb-kb, nv-kv]], n=512)", boschloo)
write("holm.json", "statsmodels.stats.multitest.multipletests(p, method='holm')", holm)
