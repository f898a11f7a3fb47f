"""Exact probabilities of hidden states, each named by its row in ``binary_states(n_hidden)``."""

from __future__ import annotations

import numpy as np

from anneal_edu.distributions import BinaryRBM, GaussianBernoulli
from anneal_edu.distributions.enumeration import codes_of


def likeliest_hidden_state(rbm: BinaryRBM | GaussianBernoulli, v: np.ndarray) -> np.ndarray:
    """The most probable hidden state given v: (C, D) -> (C,) rows of ``binary_states(n_hidden)``."""
    return codes_of(rbm.hidden_field(v) > 0)


def occupied_mass(rbm: BinaryRBM | GaussianBernoulli, v: np.ndarray) -> float:
    """Probability under the model of the hidden states that the chains v (C, D) occupy, from 0 to 1."""
    return float(rbm.hidden_probabilities()[np.unique(likeliest_hidden_state(rbm, v))].sum())


def effective_number_of_states(p_h: np.ndarray) -> float:
    """How many hidden states share the probability p(h), (2^H,): exp of its entropy, between 1 and 2^H."""
    p = p_h[p_h > 0]
    return float(np.exp(-(p * np.log(p)).sum()))
