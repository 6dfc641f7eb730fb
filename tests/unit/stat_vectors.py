#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/stat_vectors.h: medians, quantiles and Mann-Whitney tests as
numpy and scipy have them. Needs both (PyPI) only to be run again.

    tests/unit/stat_vectors.py >tests/unit/stat_vectors.h

Up to 40 values the p is that of all ways to deal the values out: scipy's exact method
where no two are equal, its permutation method, over all of them, where some are. Above
it is the asymptotic one, with both corrections.
"""
import math

import numpy
import scipy
from scipy import stats

rng = numpy.random.default_rng(2026)
EXACT_MAX = 40


def p_of(a, b):
    tied = len(set(a) | set(b)) < len(a) + len(b)
    if len(a) + len(b) > EXACT_MAX:
        return stats.mannwhitneyu(a, b, method="asymptotic")
    if not tied:
        return stats.mannwhitneyu(a, b, method="exact")
    ways = math.comb(len(a) + len(b), len(a))
    return stats.mannwhitneyu(a, b, method=stats.PermutationMethod(n_resamples=ways + 1))


def sides():
    for na, nb in ((1, 1), (3, 4), (5, 5), (8, 8), (5, 12), (20, 20)):
        yield rng.normal(100, 3, na).round(6), rng.normal(101, 3, nb).round(6)
    yield [1, 2, 3, 4, 5], [6, 7, 8, 9, 10]
    yield [6, 7, 8, 9, 10], [1, 2, 3, 4, 5]
    # Ties: within a side, across the sides, of all.
    for na, nb in ((4, 4), (5, 5), (7, 6), (8, 8)):
        yield rng.integers(0, 4, na), rng.integers(1, 5, nb)
    yield [7] * 5, [7] * 5
    yield [0] * 5, [0, 0, 0, 0, 7]
    for na, nb in ((21, 20), (30, 50), (200, 300)):
        yield rng.normal(100, 3, na).round(6), rng.normal(101, 3, nb).round(6)
        yield rng.integers(0, 9, na), rng.integers(1, 10, nb)
    yield [7] * 30, [7] * 30


def numbers(values):
    return "{ " + ", ".join(repr(float(v)) for v in values) + " }"


def main():
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print("/* Written by stat_vectors.py with scipy %s, numpy %s. */" %
          (scipy.__version__, numpy.__version__))
    print("static const struct rank_vector {\n\tsize_t nr_a, nr_b;\n"
          "\tdouble a[300], b[300], u, p, median_a, q10_b, q99_b;\n} rank_vectors[] = {")
    for a, b in sides():
        # The permutation method takes u from side a, too.
        got = p_of([float(v) for v in a], [float(v) for v in b])
        print("\t{ %d, %d,\n\t  %s,\n\t  %s,\n\t  %r, %r, %r, %r, %r }," %
              (len(a), len(b), numbers(a), numbers(b), float(got.statistic), float(got.pvalue),
               float(numpy.median(a)), float(numpy.quantile(b, 0.1)),
               float(numpy.quantile(b, 0.99))))
    print("};")


main()
