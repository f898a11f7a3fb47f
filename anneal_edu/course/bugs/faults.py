"""The faults of the lesson, each declared once. What they do is computed, in `anneal_edu.course.bugs.table`."""

from __future__ import annotations

from anneal_edu.course.bugs.planting import Fault

_MISPRINT = "printed so, {}; see the course's errata"
_RELATIVE = "of the same family: {}; see the course's errata"

_FAULTS = (
    Fault(
        "ratio upside down", "kernels",
        "log_ratio = log_density_of(distribution, proposal) - log_density_of(distribution, x)",
        "log_ratio = log_density_of(distribution, x) - log_density_of(distribution, proposal)",
        "random walk", "The acceptance ratio is inverted: uphill is refused.",
        _RELATIVE.format("the report of lesson 10 prints the proposals' ratio upside down"),
    ),
    Fault(
        "step depends on x", "kernels",
        "proposal = x + self.scale * rng.standard_normal(x.shape)",
        "proposal = x + self.scale * (0.5 + np.abs(x) / 2) * rng.standard_normal(x.shape)",
        "random walk", "Steps are longer far out, and the ratio of the proposals' densities is left out.",
        "openturns issue 1260; CalibrateEmulateSample.jl issue 447; dealii/code-gallery pull request 64 (15 CPU years)",
    ),
    Fault(
        "drawn until inside", "kernels",
        "        proposal = x + self.scale * rng.standard_normal(x.shape)",
        "        proposal = x + self.scale * rng.standard_normal(x.shape)\n"
        "        while (out := np.isneginf(log_density_of(distribution, proposal))).any():\n"
        "            proposal[out] = x[out] + self.scale * rng.standard_normal(x[out].shape)",
        "random walk at a wall", "Proposals beyond the wall are drawn again; near the wall they are then denser.",
        "lanl/PyBNF issue 709",
    ),
    Fault(
        "one noise for all chains", "kernels",
        "proposal = x + self.scale * rng.standard_normal(x.shape)",
        "proposal = x + self.scale * rng.standard_normal(x.shape[1:])",
        "random walk", "All chains get the same proposals: each alone is right, together they are few.",
        "of the same family: equal seeds for all chains, biosustain/Maud pull request 51",
    ),
    Fault(
        "u against the log", "kernels",
        "return -rng.standard_exponential(log_ratio.shape) < log_ratio",
        "return rng.random(log_ratio.shape) < log_ratio",
        "random walk", "A uniform number is compared with the logarithm of the ratio.",
    ),
    Fault(
        "kinetic sign", "kernels",
        "log_ratio -= 0.5 * (turned**2).sum(-1) - 0.5 * (momentum**2).sum(-1)",
        "log_ratio += 0.5 * (turned**2).sum(-1) - 0.5 * (momentum**2).sum(-1)",
        "Hamiltonian", "The kinetic energy enters with the wrong sign.",
        _RELATIVE.format("the paper on Hamiltonian AIS prints this sign in its weights"),
    ),
    Fault(
        "no half step", "kernels",
        "x, v = _drift(x, v, step_size / 2, nonnegative)", "x, v = _drift(x, v, step_size, nonnegative)",
        "Hamiltonian", "The first half step of the leapfrog is a whole one: the way back is another.",
    ),
    Fault(
        "γ for √γ", "annealing.hais",
        "v += np.sqrt(refresh) * rng.standard_normal(v.shape)",
        "v += refresh * rng.standard_normal(v.shape)",
        "momentum", "The noise of the momentum's renewal is too small: the momenta run too cold.",
        _MISPRINT.format("in the paper on Hamiltonian AIS, the fourth step of its algorithm"),
    ),
    Fault(
        "no turn when refused", "annealing.hais",
        "np.where(accepted[:, None], p, -v)", "np.where(accepted[:, None], p, v)",
        "momentum", "A refused chain keeps its direction, and is driven into the wall again.",
    ),
    Fault(
        "step adapts while weighing", "annealing.hais",
        "    log_w = np.zeros(len(x))\n"
        "    for (before, now), step_size, refresh in zip(pairwise(betas), step_sizes, refreshes, strict=True):\n"
        "        f, log_f = path(now), path(now).log_density(x)\n",
        "    log_w, factor, accepted = np.zeros(len(x)), 1.0, None\n"
        "    for (before, now), step_size, refresh in zip(pairwise(betas), step_sizes, refreshes, strict=True):\n"
        "        factor = 1.0 if accepted is None else factor * np.where(accepted[:, None], 1.5, 0.3)\n"
        "        f, log_f, step_size = path(now), path(now).log_density(x), factor * step_size\n",
        "momentum", "Each chain's step size follows its own acceptance while its weight accumulates.",
        "on GitHub, accept_reject of BDMC by lxuechen adapts so",
    ),
    Fault(
        "β and 1-β", "paths.geometric",
        "return (1 - beta) * log_f0 + beta * log_f1", "return beta * log_f0 + (1 - beta) * log_f1",
        "momentum", "The two ends of the path are exchanged in between.",
        _RELATIVE.format("the paper of lesson 07 prints them exchanged in σ²(β) alone, where it does harm"),
    ),
    Fault(
        "means in place of draws", "distributions.binary_rbm",
        "h = bernoulli(self.hidden_field(v), rng)\n        return bernoulli(self.visible_field(h), rng)",
        "h = self.hidden_given_visible(v)\n        return bernoulli(self.visible_field(h), rng)",
        "RBM", "The Gibbs step hands on the hidden probabilities, not draws.",
    ),
    Fault(
        "both layers from the old state", "distributions.joint_rbm",
        "return np.concatenate([bernoulli(self.rbm.visible_field(h), rng), h], axis=-1)",
        "return np.concatenate([bernoulli(self.rbm.visible_field(self.layers(x)[1]), rng), h], axis=-1)",
        "RBM of both layers", "Both layers are updated from the old state at once.",
    ),
    Fault(
        "chains start anew", "training.negative_phase",
        "self.particles = gibbs_chain(self.particles, W, b, c, self.n_gibbs, rng)",
        "self.particles = gibbs_chain(batch, W, b, c, self.n_gibbs, rng)",
        "persistent chains", "PCD's chains begin at the data again and again: it is CD.",
    ),
    Fault(
        "weights after the move", "annealing.ais",
        "        log_w += log_ratio(path(now), path(before), x)  # w ← w f_k(x_{k-1}) / f_{k-1}(x_{k-1})\n"
        "        x = kernel(path(now), x, rng)  # x_k ~ T_k(· | x_{k-1})",
        "        x = kernel(path(now), x, rng)\n        log_w += log_ratio(path(now), path(before), x)",
        "AIS", "The weight is taken where the chain has come, not where it was.",
        "the wrong answer that the check of lesson 01, exercise 1, meets most",
    ),
    Fault(
        "last step missing", "annealing.ais",
        "annealer(path, kernel), watch(schedule)", "annealer(path, kernel), watch(schedule[:-1])",
        "AIS", "The loop ends one distribution too early.",
    ),
    Fault(
        "reverse run averages w", "annealing.reverse",
        "_sign: ClassVar[int] = -1", "_sign: ClassVar[int] = 1",
        "reverse AIS", "1/w is unbiased for 1/Z from above; w is averaged in its place.",
        "on GitHub, reverse_ais of eval_gen by tonywu95 averages w so",
    ),
    Fault(
        "survivors only", "weights",
        "return float(top + np.log(np.mean(np.exp(lw - top))))",
        "return float(top + np.log(np.mean(np.exp(lw[lw > -np.inf] - top))))",
        "AIS at a wall", "Weights of zero are dropped before the mean is taken.",
    ),
    Fault(
        "mean of the logs", "annealing.ais",
        "return self._sign * weights.log_mean_exp(self._sign * self.log_weights)",
        "return float(np.mean(self.log_weights))",
        "AIS", "The mean of the logarithms is given for the logarithm of the mean.",
        "a common slip; lesson 02, exercise 3, is there for it",
    ),
    Fault(
        "interval of the logs", "annealing.ais",
        "        means = self._sign * "
        "weights.bootstrap_log_mean_exp(self._independent, n_resamples, rng=rng)",
        "        means = rng.choice(self.log_weights, (n_resamples, len(self.log_weights))).mean(1)",
        "AIS", "The estimate is right; its interval is that of the mean of the logarithms.",
    ),
    Fault(
        "n for √n", "weights",
        "return float(w.std(ddof=1) / np.sqrt(len(w)))", "return float(w.std(ddof=1) / len(w))",
        "AIS", "The standard error is divided by n in place of its root.",
    ),
    Fault(
        "the wrong tail", "weights",
        "lw = np.sort(as_log_weights(log_weights))\n    n_tail",
        "lw = np.sort(-as_log_weights(log_weights))\n    n_tail",
        "AIS far away", "The tail index looks at the smallest weights, and the warning stays away.",
    ),
    Fault(
        "hidden units forgotten", "distributions.binary_rbm",
        "return float(np.logaddexp(0, self.visible_bias).sum() + np.logaddexp(0, self.hidden_bias).sum())",
        "return float(np.logaddexp(0, self.visible_bias).sum())",
        "RBM", "log Z of the start is that of v alone, while f(v) has the hidden units summed out.",
        "marginal and joint normalisers mixed: a common slip",
    ),
    Fault(
        "2 for 2^L", "distributions.generative",
        "log_p = -np.abs(a).sum(-1) - np.log(2) * (~self.nonnegative).sum()", "log_p = -np.abs(a).sum(-1) - np.log(2)",
        "sparse prior", "The prior over L variables has the normaliser of one.",
        _MISPRINT.format("in the paper on Hamiltonian AIS, for its sparse priors"),
    ),
    Fault(
        "both get the same copy", "kernels",
        "new[1:][accepted] = order[:-1][accepted]", "new[1:][accepted] = new[:-1][accepted]",
        "parallel tempering", "The second half of a swap reads what the first has overwritten.",
        "nanograv/PTMCMCSampler pull request 58; nanograv/QuickCW pull request 14",
    ),
    Fault(
        "swap ratio upside down", "tempering.parallel",
        "np.maximum(above + below, ZERO) - np.maximum(own[:-1] + own[1:], ZERO)",
        "np.maximum(own[:-1] + own[1:], ZERO) - np.maximum(above + below, ZERO)",
        "parallel tempering", "The sign in the exponent of the swap is wrong.",
        "synesenom/ran pull request 977 found it in its own specification",
    ),
    Fault(
        "no way back", "tempering.transitions",
        "annealer(self.path, reversal_of(self.kernel))", "annealer(self.path, self.kernel)",
        "tempered transitions", "The way up uses the sweep of the way down, not its time reversal.",
    ),
    Fault(
        "tag turns when accepted", "tempering.swaps",
        "self.direction = np.where(~moved & inside, -self.direction, self.direction)",
        "self.direction = np.where(moved & inside, -self.direction, self.direction)",
        "lifted swaps", "Once accepted, the tag turns before it moves, and walks off from its replica.",
        _RELATIVE.format("the report of lesson 10 turns at the wrong rung"),
    ),
    Fault(
        "β redrawn uniformly", "tempering.simulated",
        "k = (log_q + gumbel).argmax(0)", "k = gumbel.argmax(0)",
        "RTS", "The temperature is drawn uniformly, whatever the state says.",
    ),
    Fault(
        "Ẑ with the wrong sign", "tempering.simulated",
        "log_q = log_f - log_z[:, None]", "log_q = log_f + log_z[:, None]",
        "RTS", "q(β|x) is multiplied by Ẑ in place of being divided.",
    ),
    Fault(
        "left ends only", "reweighting.integration",
        "return scipy.integrate.cumulative_trapezoid(self.mean_slopes, self.schedule, initial=0)",
        "return np.concatenate([[0.0], np.cumsum(self.mean_slopes[:-1] * np.diff(self.schedule))])",
        "thermodynamic integration", "The integral is summed from the left ends of the steps.",
    ),
    Fault(
        "sum stops at once", "course.bugs.chains",
        "if rho <= 0:", "if rho >= 0:",
        "mean of a chain", "The sum of autocorrelations stops at the wrong sign, and every draw counts.",
        "of the same family: stan-dev/stan issue 2450",
    ),
)

FAULTS: dict[str, Fault] = {fault.name: fault for fault in _FAULTS}
"""Name → fault."""
