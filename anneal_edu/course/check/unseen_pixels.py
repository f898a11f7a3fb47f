"""Densities of pixels given others, for the check of notebook 09 that asks for one, and what is often slipped in it."""

from collections.abc import Callable

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, array, reject, require, same


def log_normal(x: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """Log N(x; 0, cov) of each row of x (N, D)."""
    return -0.5 * (x * np.linalg.solve(cov, x.T).T).sum(1) - 0.5 * np.linalg.slogdet(2 * np.pi * cov)[1]


def of_equal_bases(x: np.ndarray) -> np.ndarray:
    """Log N(x; 0, (I + 1 1ᵀ) / 100), in closed form."""
    n = x.shape[1]
    return -50 * ((x * x).sum(1) - x.sum(1) ** 2 / (n + 1)) - n / 2 * np.log(2 * np.pi / 100) - 0.5 * np.log(n + 1)


def judge_noise(found: np.ndarray, x: np.ndarray, seen: np.ndarray, variance: float) -> None:
    """Without bases what is seen says nothing, and the rest is noise."""

    def pure(variance, two_pi=2 * np.pi, determinant=0.5, half=0.5, x=x[:, ~seen]):
        n = x.shape[1]
        return -half * (x * x).sum(1) / variance - n / 2 * np.log(two_pi) - determinant * n * np.log(variance)

    right, whole, known = pure(variance), pure(variance, x=x), pure(variance, x=x[:, seen])
    reject(found, {
        "Yours is about all pixels, p(seen, unseen): divide by p(seen).": whole,
        "Yours is about the seen pixels; asked is log p of the others, given these.": known,
        "You add log p(seen), or multiply by p(seen): p(unseen | seen) is a quotient.": whole + known,
        "Yours is what it would be with variance noise.": pure(variance**0.5),
        "Yours is what it would be with variance 1: the noise is left out of the covariance.": pure(1.0),
        "Yours has half of that variance.": pure(variance / 2),
        "Yours has twice that variance.": pure(2 * variance),
        "Yours has a noise of 0.1: use the one that is given.": pure(0.01),
        "Yours lacks the factor (2π)^(-½) of each unseen pixel: n of them have (2π)^(-n/2), and n differs between "
        "p(seen, unseen) and p(seen).": pure(variance, 1.0),
        "Yours lacks the determinant of the covariance.": pure(variance, determinant=0),
        "Yours has log |covariance| without its ½.": pure(variance, determinant=1),
        "Yours adds ½ log |covariance|, and it is to be subtracted.": pure(variance, determinant=-0.5),
        "Yours lacks the ½ before the squares.": pure(variance, half=1),
        "Yours adds the squares, and they are to be subtracted.": pure(variance, half=-0.5),
        "In your squares stands the covariance, and it should be its inverse.": pure(variance, half=0.5 * variance**2),
        "Yours is twice that: the ½ is missing before the squares and before the logarithm.": 2 * right,
        "Yours has the wrong sign.": -right,
        "You take the mean of the images away; the model's mean is 0, whatever was drawn.": pure(
            variance, x=(x - x.mean(0))[:, ~seen]
        ),
        "Yours has a logarithm to base 10.": right / np.log(10),
        "Yours has a logarithm to base 2.": right / np.log(2),
        "Yours is the density; return its logarithm.": np.exp(right),
        "Yours has a factor (2π)^(-½) for each pixel, seen or not; p(seen) has its own, and is divided by.": pure(
            variance
        ) - np.log(2 * np.pi) / 2 * seen.sum(),
        "Yours counts the seen pixels in (2π)^(-n/2) and in the determinant, and the unseen ones in the "
        "squares.": right + ((~seen).sum() - seen.sum()) / 2 * np.log(2 * np.pi * variance),
        "Yours has the factor (2π)^(-½) of the seen pixels; n counts the unseen ones.": right
        + ((~seen).sum() - seen.sum()) / 2 * np.log(2 * np.pi),
        "Yours is divided by the number of pixels: asked is log p of all unseen ones together.": right / len(seen),
        "Yours is half of that: is it divided by the number of unseen pixels, 2, or is one ½ too many in it? Asked is "
        "log p of all of them together.": right
        / (~seen).sum(),
        "You take the first pixels for the seen ones; `seen` says for each whether it was.": pure(
            variance, x=x[:, seen.sum() :]
        ),
        "You take the last pixels for the seen ones; `seen` says for each whether it was.": pure(
            variance, x=x[:, : (~seen).sum()]
        ),
        "Yours has the covariance of the images that were given, and these are few; the model has one of its "
        "own.": log_normal(x, np.cov(x.T)) - log_normal(x[:, seen], np.cov(x.T)[np.ix_(seen, seen)]),
    }, case="without bases every pixel is noise, of variance noise²: Eq. 41. ", unless=right)
    shift = float(np.median((found - right) / ((x[:, ~seen] ** 2).sum(1) / variance - (~seen).sum()))) * 2 * variance
    more = 1e-12 < abs(shift) < 0.02 and np.allclose(found, pure(variance + shift), rtol=1e-4)
    little = "Yours has a little more or less than that: add nothing to the diagonal."
    require(same(found, right) or not more, f"without bases every pixel is noise, of variance noise²: Eq. 41. {little}")
    require(same(found, right), "without bases the unseen pixels are noise: yours is not log N(unseen; 0, noise² I).")


def judge_given(asked: Callable, x: np.ndarray, noise: float, seen: np.ndarray, rng: np.random.Generator) -> None:
    """Four bases of three pixels, one of them seen: what that says of the others, in images that are drawn, too."""
    bases = np.array([[1.0, 0.5, -0.3, 0.2], [0.2, -0.8, 0.6, 0.0], [-0.4, 0.7, 0.5, 0.3]])
    found = asked(x.copy(), bases.copy(), noise, seen.copy(), shape=(6,))
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    require(
        same(found, asked(x.copy(), bases @ turn, noise, seen.copy(), shape=(6,))),
        "a rotation of the causes a changes nothing, for N(0, I) has no directions; it changes your answer. Only "
        "bases basesᵀ may matter.",
    )
    cov = bases @ bases.T + noise**2 * np.eye(3)
    unseen, within = ~seen, cov[np.ix_(~seen, ~seen)]
    slope = cov[unseen][:, seen] / cov[seen, seen]  # (2, 1)
    mean, left = x[:, seen] * slope.T, within - slope @ cov[seen][:, unseen]
    u = x[:, unseen]
    reject(found, {
        "you leave out what the seen pixel says: yours is log p(unseen).": log_normal(u, within),
        "the seen pixel moves the mean in yours, and does not make the rest narrower.": log_normal(u - mean, within),
        "the seen pixel makes the rest narrower in yours, and does not move its mean.": log_normal(u, left),
        "the seen pixel pulls the mean the wrong way.": log_normal(u + mean, left),
        "what is known makes the rest narrower; in yours it is wider.": log_normal(u - mean, 2 * within - left),
        "given what is seen, the unseen pixels still depend on each other: they have causes in common. Yours has a "
        "diagonal covariance.": log_normal(u - mean, np.diag(np.diag(left))),
        "the unseen pixels have causes in common, seen or not: yours has a diagonal covariance, in "
        "which no pixel says anything of another.": log_normal(
            u, np.diag(np.diag(within))
        ),
    }, case="with bases: ")
    grid = (np.arange(160) + 0.5) / 10 - 8
    plane = np.insert(np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2), 1, 1.3, axis=1)
    p = np.exp(asked(plane.copy(), bases.copy(), noise, seen.copy(), shape=(len(plane),))) / 100
    require(abs(p.sum() - 1) < 0.02, f"over the unseen pixels your density integrates to {p.sum():.2f}, not to 1.")
    drawn = rng.standard_normal((200_000, 4)) @ bases.T + noise * rng.standard_normal((200_000, 3))
    away = drawn[:, unseen] - drawn[:, seen] * (drawn[:, seen] * drawn[:, unseen]).mean(0) / (drawn[:, 1] ** 2).mean()
    moments = plane[:, unseen].T * p @ plane[:, unseen], p @ plane[:, unseen]
    yours, real = (moments[0] - np.outer(moments[1], moments[1])).diagonal(), away.var(0)
    require(
        np.abs(real - yours).max() < 0.03,
        f"of 200,000 images drawn from the model, the two unseen pixels vary by {real[0]:.2f} and {real[1]:.2f} about "
        f"what the seen one foretells; under your density by {yours[0]:.2f} and {yours[1]:.2f}.",
    )
    require(same(found, log_normal(u - mean, left)), "with 4 bases of 3 pixels yours is wrong.")


def judge_sizes(asked: Callable, x: np.ndarray, noise: float, rng: np.random.Generator) -> None:
    """Fewer causes than pixels, a single image with little noise, and many pixels."""
    low, most = np.array([[2.0], [1.0], [-0.5]]), np.array([True, False, True])  # fewer causes than pixels
    exact = log_normal(x, low @ low.T + noise**2 * np.eye(3))
    exact -= log_normal(x[:, most], low[most] @ low[most].T + noise**2 * np.eye(2))
    found = asked(x.copy(), low.copy(), noise, most.copy(), shape=(6,))
    require(same(found, exact), "with one cause for three pixels, two of them seen, yours is wrong.")
    square = np.array([[1.0, 0.5, -0.3], [0.2, -0.8, 0.6], [-0.4, 0.7, 0.5]])
    exact = log_normal(x, square @ square.T + noise**2 * np.eye(3))
    exact -= log_normal(x[:, most], square[most] @ square[most].T + noise**2 * np.eye(2))
    found = asked(x.copy(), square.copy(), noise, most.copy(), shape=(6,))
    columns = "with as many causes as pixels yours is wrong: a basis is a column, and bases @ bases.T is (D, D)."
    require(same(found, exact), columns)
    _judge_little_noise(asked)
    x = rng.normal(size=(3, 400))
    for every in (2, 10):  # Σ = (I + 1 1ᵀ) / 100: one root is 401 times as large as the others, of a half 201 times
        part = np.arange(400) % every == 0
        many = np.asarray(asked(x.copy(), np.full((400, 1), 0.1), 0.1, part.copy()))
        require(
            np.isfinite(many).all(),
            f"with 400 pixels, {part.sum()} of them seen, yours is not finite: |Σ| is about 10^-797, which a computer "
            "takes for 0. Work with log |Σ|, np.linalg.slogdet, or a Cholesky factor.",
        )
        exact = of_equal_bases(x) - of_equal_bases(x[:, part])
        require(
            same(many, exact),
            "with 400 pixels and noise 0.1 yours is wrong: use the noise that you are given; and |Σ| is about 10^-797, "
            "which a computer takes for 0: np.linalg.slogdet.",
        )


def _judge_little_noise(asked: Callable) -> None:
    """A single image with noise 0.001: nothing may be added to it, nothing lost beside the bases, nothing vanish."""
    bases, few = np.linspace(-1.0, 1.0, 10).reshape(5, 2) ** 3, np.array([True, False, False, True, True])
    image = np.array([[0.3, -0.2, 0.1, 0.4, 0.6]])

    def exact(variance):
        whole = log_normal(image, bases @ bases.T + variance * np.eye(5))
        return whole - log_normal(image[:, few], bases[few] @ bases[few].T + variance * np.eye(3))

    def again(nearly=1.0, bases_nearly=1.0):
        return np.asarray(asked(image * nearly, bases * bases_nearly, 1e-3, few.copy()))

    found, right, case = again(), exact(1e-6), "of one image with noise 0.001 "
    require(
        found.shape != right.shape or np.isfinite(found).all(),
        f"{case}yours is not finite. log p is {right[0]:,.0f} there, and p itself 0 for a computer: does an exp stand "
        "in yours?",
    )
    found = array(found, (1,), "of one image your function returned")
    if same(found, right):
        return
    differs = f"{case}yours is {found[0]:.7g}, and should be {right[0]:.7g}. "
    as_before = any(np.array_equal(found, again(*one)) for one in ((1 + 1e-12, 1.0), (1.0, 1 + 1e-12)))
    require(
        not as_before,
        f"{differs}What you are given may change in its twelfth digit, and yours does not: are your numbers float32, "
        "with seven digits? Beside products near 1 the variance 1e-6 then keeps a digit or two. Take float64.",
    )
    reject(found, {
        f"You add {more:.0e} to the variance on the diagonal: add nothing to it.": exact(1e-6 + more)
        for more in 10.0 ** np.arange(-14, 0)
    }, case=differs)
    raise WrongAnswerError(f"{differs}Use the noise that you are given, with variance 1e-6, and exact inverses.")
