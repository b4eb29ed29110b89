"""Services of any long-running program: logs, signals, folders, ports, tasks and kernels."""
