"""Games on many machines: the workers of a Dask scheduler play one game per slot at a time.

`distributed` is an optional dependency. Only `dask_cluster.py` and `process_pool.py`, which are
imported on demand, and `on_worker.py`, which workers import, use it.
"""
