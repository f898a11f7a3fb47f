"""Every line of the page about problems of one's own runs, and finds what is known."""

import re
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.stats import multivariate_t

import anneal_edu as ae

PAGE = (Path(__file__).parents[1] / "docs" / "your_own_problem.md").read_text(encoding="utf-8")


def by_importance_sampling(target):
    """log Z from a Student-t around the mode: ESS of 40,000 above half."""
    best = minimize(lambda w: -target.log_density(w[None])[0], np.zeros(target.dim))
    proposal = multivariate_t(best.x, 1.2 * best.hess_inv, df=6)
    x = proposal.rvs(40_000, random_state=np.random.default_rng(1))
    log_w = target.log_density(x) - proposal.logpdf(x)
    assert ae.effective_sample_size(log_w) > 20_000
    return ae.log_mean_exp(log_w)


def test_the_page_runs_and_finds_what_is_known(capsys):
    page = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)), page)
    for name, columns in (("full", slice(None)), ("smaller", slice(2))):
        truth, found = by_importance_sampling(page["regression"](page["X"][:, columns])(1.0)), page[name]
        assert abs(found.log_z - truth) < 4.5 * found.std_error < 1.5 and found.warnings == ()
    assert abs(page["positive"].log_z - page["truth"]) < 4.5 * page["positive"].std_error < 0.7
    ring = 20 * np.log(2 * np.cosh(0.7)) + np.log1p(np.tanh(0.7) ** 20)
    assert abs(page["bounds"].lower - ring) < 0.15 > abs(page["bounds"].upper - ring)
    assert abs(page["pooled"].estimate.log_z - 0.5 * np.log(2 * np.pi)) < 4.5 * page["pooled"].std_error[-1] < 0.7
    assert "truth" in capsys.readouterr().out


def test_the_page_is_read_in_a_few_minutes():
    assert len(PAGE.split()) <= 800
