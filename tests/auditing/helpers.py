"""Helpers for tests of the audit: a distribution and a kernel, and what the checks report."""

import numpy as np

from anneal_edu.auditing.checked_kernel import CheckedKernel
from anneal_edu.auditing.problems import Problem
from anneal_edu.auditing.report import Report


def rng(seed=0):
    return np.random.default_rng(seed)


class Normal:
    """Independent standard normal coordinates."""

    def __init__(self, dim):
        self.dim = dim

    def sample(self, n, rng):
        return rng.standard_normal((n, self.dim))

    def log_density(self, x):
        return -(x**2).sum(-1) / 2


PLANE = Problem("a plane", Normal(2), False, (), ())


def jitter(f, x, rng):
    return x + 0.5 * rng.standard_normal(x.shape)


def checked(kernel):
    return CheckedKernel(kernel, Report())


def kinds(report):
    return [failure.kind for failure in report.failures]


def sentences(report):
    return [failure.sentence for failure in report.failures]
