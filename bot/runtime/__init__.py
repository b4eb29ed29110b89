"""What any program here that runs for long needs: logs, signals, files, ports and kernels."""
