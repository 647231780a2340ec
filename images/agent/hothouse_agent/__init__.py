"""The processes that Hothouse keeps inside a sandbox: init, relay and the interpreters' drivers."""
