"""Other right answers to the exercises of notebook 11."""

import numpy as np

import anneal_edu as ae


def by_phases(data, particles, rbm):
    """The means of both phases, one after the other."""

    def means(v):
        h = rbm.hidden_given_visible(v)
        return (v[:, :, None] * h[:, None, :]).mean(0), v.mean(0), h.mean(0)

    return [up - down for up, down in zip(means(data), means(particles), strict=True)]


def by_einsum(data, particles, rbm):
    """One sum over all rows, with weights 1/N and -1/M."""
    v = np.vstack([data, particles])
    w = np.r_[np.full(len(data), 1 / len(data)), np.full(len(particles), -1 / len(particles))]
    h = rbm.hidden_given_visible(v)
    return np.einsum("n,ni,nj->ij", w, v, h), w @ v, w @ h


def in_a_copy(states, start, model, betas, swap, rng):
    """Rung by rung, in a copy."""
    path, new = ae.geometric_path(start, model), states.copy()
    for k in range(len(betas)):
        new[k] = ae.gibbs(path(betas[k]), states[k], rng)
    new = swap(new, path, betas, rng)
    return new, np.concatenate([new[k] for k in range(len(betas)) if betas[k] == 1])


def fresh_at_the_start(states, start, model, betas, swap, rng):
    """Where β = 0, a Gibbs step is an exact draw of the start."""
    path, new = ae.geometric_path(start, model), []
    for beta, x in zip(betas, states, strict=True):
        new.append(ae.gibbs(path(beta), x, rng) if beta else start.sample(len(x), rng))
    new = swap(np.array(new), path, betas, rng)
    return [new, [v for beta, x in zip(betas, new, strict=True) if beta == 1 for v in x][::-1]]


def by_the_overlap(rbm, images, particles):
    """One minus what both have in common."""
    p = np.exp(rbm.log_density(images) - rbm.log_z())
    q = (particles[:, None] == images).all(-1).mean(0)
    p, q = np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())
    return 1 - np.minimum(p, q).sum()


def by_counting(rbm, images, particles):
    """What the model has too much, place by place."""
    rows, surplus, p_on, q_on = [tuple(v) for v in particles.tolist()], 0.0, 0.0, 0.0
    for image, log_f in zip(images.tolist(), rbm.log_density(images), strict=True):
        p, q = float(np.exp(log_f - rbm.log_z())), rows.count(tuple(image)) / len(rows)
        surplus, p_on, q_on = surplus + max(p - q, 0), p_on + p, q_on + q
    return surplus + max(q_on - p_on, 0)


ANSWERS = {
    "gradient": (by_phases, by_einsum),
    "negative_phase": (in_a_copy, fresh_at_the_start),
    "distance": (by_the_overlap, by_counting),
}
