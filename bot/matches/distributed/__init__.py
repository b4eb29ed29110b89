"""Games on many machines: a Dask scheduler's workers play them, one at a time in each slot.

`distributed` is an optional dependency: only `dask_cluster.py`, which is imported when it is
wanted, and `on_worker.py`, which workers import, know it.
"""
