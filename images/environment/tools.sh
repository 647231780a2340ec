#!/bin/sh
# Puts uv into /tools: the image's own, or one that pip installs.
set -eu

mkdir -p /tools
if command -v uv >/dev/null; then
  cp "$(command -v uv)" /tools/uv
  exit
fi
if ! python3 -m pip --version >/dev/null 2>&1; then
  echo python3-pip >/tmp/packages
  sh /machine/apt.sh /tmp/packages
fi
[ ! -s /machine/pip.conf ] || export PIP_CONFIG_FILE=/machine/pip.conf
[ ! -s /machine/ca-certificates.crt ] || export PIP_CERT=/machine/ca-certificates.crt
PIP_CACHE_DIR=/cache/pip python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
  --only-binary :all: --target /tmp/uv uv
cp /tmp/uv/bin/uv /tools/uv
