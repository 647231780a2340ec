"""The agent of a sandbox: init (PID 1), the relay and the Python driver."""
