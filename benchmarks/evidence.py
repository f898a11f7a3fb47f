"""The evidence of a logistic regression, by adaptive_schedule and by others: how far off, for how much time.

Six coefficients with a prior N(0, 25 I), 100 data. Each method runs for twenty seeds; the truth comes from importance
sampling with a million draws. blackjax and dynesty are run where they are installed: pip install blackjax dynesty.
"""

import sys
import time
from importlib.util import find_spec

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import multivariate_t

import anneal_edu as ae

rng = np.random.default_rng(38)
X = 1.3 * rng.normal(size=(100, 6))
X[:, 0] = 1
w = rng.normal(size=6)
X *= np.where(rng.random(100) < expit(X @ w), 1.0, -1.0)[:, None]
PRIOR = ae.Gaussian(np.zeros(6), 25.0)


def log_likelihood(w):
    return -np.logaddexp(0, -(w @ X.T)).sum(-1)


POSTERIOR = ae.Unnormalized(
    lambda w: PRIOR.log_density(w) + log_likelihood(w), 6, lambda w: PRIOR.grad_log_density(w) + expit(-(w @ X.T)) @ X
)
PATH = ae.geometric_path(PRIOR, POSTERIOR)


def truth(n):
    best = minimize(lambda w: -POSTERIOR.log_density(w[None])[0], np.zeros(6))
    proposal = multivariate_t(best.x, 1.2 * best.hess_inv, df=5)
    x = proposal.rvs(n, random_state=np.random.default_rng(1))
    return ae.log_mean_exp(POSTERIOR.log_density(x) - proposal.logpdf(x))


def adaptive(rng):
    tuned = ae.adaptive_schedule(PATH, 300, ae.hmc(0.2, 5), rng=rng)
    run = ae.ais(PATH, tuned.schedule, 300, tuned, resample=0.5, rng=rng)
    return run.log_z, run.interval()


def by_hand(rng):
    run = ae.ais(PATH, np.linspace(0, 1, 101) ** 4, 300, ae.hmc(0.2, 5), rng=rng)
    return run.log_z, run.interval()


def blackjax_smc():
    """Adaptive tempered SMC as its documentation has it: target ESS 0.5, ten moves of HMC, 300 particles."""
    import blackjax
    import jax
    import jax.numpy as jnp
    from blackjax.smc import resampling

    data = jnp.asarray(X)
    smc = blackjax.adaptive_tempered_smc(
        lambda w: -0.5 * (w @ w) / 25, lambda w: -jnp.logaddexp(0, -(data @ w)).sum(), blackjax.hmc.build_kernel(),
        blackjax.hmc.init, {"step_size": jnp.array([0.2]), "inverse_mass_matrix": jnp.eye(6)[None],
        "num_integration_steps": jnp.array([5])}, resampling.systematic, 0.5, num_mcmc_steps=10,
    )  # fmt: skip
    step = jax.jit(smc.step)

    def run(rng):
        state, log_z, key = smc.init(jnp.asarray(PRIOR.sample(300, rng))), 0.0, jax.random.key(int(rng.integers(2**31)))
        while getattr(state, "tempering_param", getattr(state, "lmbda", 1)) < 1:
            key, now = jax.random.split(key)
            state, info = step(now, state)
            log_z += float(info.log_likelihood_increment)
        return log_z, None

    return run


def nested_sampling():
    import dynesty
    from scipy.special import ndtri

    def run(rng):
        sampler = dynesty.NestedSampler(log_likelihood, lambda u: 5 * ndtri(u), 6, nlive=500, rstate=rng)
        sampler.run_nested(print_progress=False)
        log_z, error = sampler.results.logz[-1], sampler.results.logzerr[-1]
        return log_z, (log_z - 1.96 * error, log_z + 1.96 * error)

    return run


def main():
    tiny = "--tiny" in sys.argv
    log_z, seeds = truth(10_000 if tiny else 1_000_000), 2 if tiny else 20
    print(f"truth {log_z:.3f}")
    rows = {"adaptive_schedule, ais": adaptive, "ais, beta^4, 100 steps": by_hand}
    for name, make in (("blackjax", blackjax_smc), ("dynesty", nested_sampling)):
        if find_spec(name) is None or tiny:
            print(f"{name} is not run")
        else:
            rows[name] = make()
    for name, run in rows.items():
        begin = time.process_time()
        found = [run(np.random.default_rng(seed)) for seed in range(seeds)]
        seconds = (time.process_time() - begin) / seeds
        off = np.array([estimate - log_z for estimate, _ in found])
        held = [low <= log_z <= high for low, high in (interval for _, interval in found if interval)]
        cover = f"{np.mean(held):.0%} of the 95% intervals hold it" if held else "no interval"
        print(f"{name:24} off by {off.mean():+.3f}, sd {off.std():.3f}; {cover}; {seconds:.2f} s of processor a run")


if __name__ == "__main__":
    main()
