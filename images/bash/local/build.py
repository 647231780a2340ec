"""Builds the environment without a container engine: Bash is what the machine has. Arguments: as in ../../python/local."""

import shutil
import sys

if shutil.which("bash", path="/usr/local/bin:/usr/bin") is None:
    sys.exit("There is no bash in /usr/local/bin or /usr/bin.")
