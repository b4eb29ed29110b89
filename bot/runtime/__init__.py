"""What any program that runs for long needs: logs, signals, folders, ports and kernels."""
