"""A function of the library with a fault in it."""

import inspect


def planted(function, faults, *others):
    """The function with pieces of its source replaced, right: wrong, and ``others`` of its module that call it."""
    source, names = inspect.getsource(function), dict(vars(inspect.getmodule(function)))
    for right, wrong in faults.items():
        assert source.count(right) == 1, right
        source = source.replace(right, wrong)
    exec("\n".join([source, *map(inspect.getsource, others)]), names)
    found = [names[each.__name__] for each in (function, *others)]
    return found if others else found[0]
