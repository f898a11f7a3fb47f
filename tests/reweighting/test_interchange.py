"""What goes out to ArviZ and pymbar is what was drawn, in their shapes; and what comes in from pymbar is ours again."""

import logging

import numpy as np
import pytest

import anneal_edu as ae

BETAS = ae.linear_schedule(3)
PATH = ae.geometric_path(ae.Gaussian([0.0, 0.0], np.eye(2)), ae.Gaussian([1.0, -1.0], 0.3 * np.eye(2)))


def rng(seed=0):
    return np.random.default_rng(seed)


def ladders(**options):
    return ae.parallel_tempering(PATH, BETAS, 6, 5, **options, rng=rng())


def walks(n_sweeps=6, n_chains=5):
    return ae.simulated_tempering(PATH, BETAS, np.zeros(4), n_sweeps, n_chains, rng=rng())


def test_a_ladder_is_a_chain_and_a_sweep_a_draw():
    for run in (ladders(), ladders(keep="target")):
        groups = ae.arviz_groups(run)
        assert groups["posterior"]["x"].shape == (5, 6, 2)
        for chain in range(5):
            for draw in range(6):
                np.testing.assert_array_equal(groups["posterior"]["x"][chain, draw], run.samples[draw, -1, chain])
                assert groups["sample_stats"]["replica"][chain, draw] == run.replicas[draw, -1, chain]
    with pytest.raises(ValueError, match=r'none was kept: take keep="target" or "all"'):
        ae.arviz_groups(ladders(keep="nothing"))


def test_simulated_tempering_goes_out_with_its_rungs_and_weights():
    run, groups = walks(), ae.arviz_groups(walks())
    for chain in range(5):
        np.testing.assert_array_equal(groups["posterior"]["x"][chain], run.samples[:, chain])
        np.testing.assert_array_equal(groups["posterior"]["rung"][chain], run.rungs[:, chain])
        np.testing.assert_array_equal(groups["sample_stats"]["log_weight"][chain], run.log_conditionals[:, -1, chain])


def test_weighted_draws_of_simulated_tempering_are_those_of_the_target():
    """Chains count as single draws in the error bar of the weighted mean."""
    groups = ae.arviz_groups(walks(200, 100))
    x, w = groups["posterior"]["x"], np.exp(groups["sample_stats"]["log_weight"])
    mean = (w[..., None] * x).sum((0, 1)) / w.sum()
    each = (w[..., None] * (x - mean)).sum(1) / w.sum() * len(x)  # (C, D): what each chain contributes
    error = each.std(0, ddof=1) / np.sqrt(len(x))
    assert (np.abs(mean - [1.0, -1.0]) < 4.5 * error).all() and error.max() < 0.1


@pytest.mark.parametrize(
    "annealed", [lambda: ae.ais(PATH, BETAS, 7, rng=rng()), lambda: ae.hais(PATH, BETAS, 7, rng=rng())]
)
def test_annealed_chains_are_independent_weighted_draws(annealed):
    run, groups = annealed(), ae.arviz_groups(annealed())
    np.testing.assert_array_equal(groups["posterior"]["x"], run.samples[None])
    np.testing.assert_array_equal(groups["sample_stats"]["log_weight"], run.log_weights[None])


def test_what_goes_out_is_a_copy():
    for run in (ladders(), walks(), ae.ais(PATH, BETAS, 7, rng=rng())):
        before = run.samples.copy()
        for arrays in ae.arviz_groups(run).values():
            for array in arrays.values():
                array += 1
        np.testing.assert_array_equal(run.samples, before)


@pytest.mark.parametrize(
    ("result", "got"),
    [
        (ae.reverse_ais(PATH, BETAS, PATH(1.0).sample(5, rng()), rng=rng()), "reverse AIS ends at the start"),
        (ae.rts(PATH, BETAS, 3, 2, 3, rng=rng()), "got RTSResult"),
        (np.zeros((3, 2)), "got ndarray"),
    ],
)
def test_what_holds_no_draws_of_the_target_is_refused(result, got):
    with pytest.raises(TypeError, match=f"result must hold draws of the target.*{got}"):
        ae.arviz_groups(result)


@pytest.mark.filterwarnings("ignore")  # of packages that it brings
@pytest.mark.parametrize("run", [ladders, walks, lambda: ae.ais(PATH, BETAS, 7, rng=rng())])
def test_arviz_takes_them(run):
    arviz = pytest.importorskip("arviz")
    result = run()
    groups = ae.arviz_groups(result)
    data = arviz.from_dict(groups) if int(arviz.__version__.split(".")[0]) else arviz.from_dict(**groups)
    for group, arrays in groups.items():
        for name, array in arrays.items():
            assert data[group][name].dims[:2] == ("chain", "draw")
            np.testing.assert_array_equal(data[group][name].values, array)


LOG_F = ae.log_density_matrix(PATH, BETAS, np.concatenate([PATH(float(b)).sample(50, rng(1)) for b in BETAS]))
COUNTS = np.full(4, 50)


def test_energies_are_minus_log_densities_and_come_back():
    u_kn, N_k = ae.to_pymbar(LOG_F, COUNTS)
    np.testing.assert_array_equal(u_kn, -LOG_F)
    np.testing.assert_array_equal(N_k, COUNTS)
    log_f, counts = ae.from_pymbar(u_kn, N_k)
    np.testing.assert_array_equal(log_f, LOG_F)
    np.testing.assert_array_equal(counts, COUNTS)
    outside = np.array([[0.0, 0.0], [-np.inf, 0.0]])
    assert ae.to_pymbar(outside, [1, 1])[0][1, 0] == np.inf
    assert ae.from_pymbar(-outside, [1, 1])[0][1, 0] == -np.inf


@pytest.mark.filterwarnings("ignore:Unknown solver options:scipy.optimize.OptimizeWarning")
def test_pymbar_agrees_on_what_it_is_handed():
    logging.disable(logging.WARNING)  # it announces at length that it could use JAX
    from pymbar import MBAR

    try:
        theirs = MBAR(*ae.to_pymbar(LOG_F, COUNTS))
    finally:
        logging.disable(logging.NOTSET)
    ours = ae.mbar(*ae.from_pymbar(theirs.u_kn, theirs.N_k))
    np.testing.assert_allclose(ours.log_z, theirs.f_k[0] - theirs.f_k, atol=1e-8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ae.from_pymbar(np.zeros((2, 2, 3)), [3, 3]), r"u_kn must have 2 axes, got shape \(2, 2, 3\): see"),
        (lambda: ae.from_pymbar(np.full((2, 2), np.nan), [1, 1]), "u_kn must not hold NaN or -inf"),
        (lambda: ae.from_pymbar(np.full((2, 2), -np.inf), [1, 1]), "u_kn must not hold NaN or -inf"),
        (lambda: ae.from_pymbar(np.zeros((2, 2)), [1, 2]), "counts must add up to the 2 columns of the matrix, got 3"),
        (lambda: ae.from_pymbar([["a"]], [1]), "u_kn must be an array of real numbers"),
        (lambda: ae.to_pymbar(np.zeros(4), [4]), "log_density_matrix must have shape"),
        (lambda: ae.to_pymbar(np.full((2, 2), np.inf), [1, 1]), "must not hold NaN or"),
    ],
)
def test_what_is_no_matrix_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
