"""From a start that is known to the target: paths, the schedules that divide them, and what a schedule costs."""

from anneal_edu.paths import covariance, rbm  # noqa: F401 - they enter the paths that share work into SHARING
