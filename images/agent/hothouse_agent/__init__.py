"""The agent of a sandbox: its permanent processes and the Python driver."""
