#!/bin/sh
# Installs the named packages of PyPI for all users, with the settings of the build machine. Wheels only: nothing of a
# package runs during the build.
set -eu

export PIP_CONFIG_FILE=/machine/pip.conf
[ ! -s /machine/ca-certificates.crt ] || export PIP_CERT=/machine/ca-certificates.crt
pip3 install --break-system-packages --root-user-action=ignore --no-cache-dir --disable-pip-version-check \
  --only-binary=:all: "$@"
