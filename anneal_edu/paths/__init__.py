"""From a start that is known to the target: paths, the schedules that divide them, and what a schedule costs."""
