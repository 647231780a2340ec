"""Prints which Lean of this machine the environment has."""

import toolchain

folder = toolchain.find()
print(folder, toolchain.version(folder))
