"""The first paper's point, where log Z is known: Gibbs chains miss on the geometric path, not on the spline."""

import numpy as np
import pytest

import anneal_edu as ae
from tests.cases import always


@pytest.mark.parametrize("name", always("digits28_cd", of=["digits28_cd", "digits28_pcd_fast"]))
def test_the_spline_is_right_where_the_geometric_path_misses_by_nats(name):
    target = ae.models.load(name)
    start = ae.base_rate_rbm(ae.data.digits(28), target.n_hidden)
    spline = ae.moment_spline_path(start, target)
    assert all(match.converged for match in spline.matches)

    def errors(path):
        runs = [ae.ais(path, ae.linear_schedule(400), 100, rng=np.random.default_rng(s)) for s in range(3)]
        return [run.log_z - target.log_z() for run in runs]

    assert np.median(errors(ae.geometric_path(start, target))) < -2
    assert abs(np.median(errors(spline))) < 0.5
