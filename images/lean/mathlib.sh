#!/bin/sh
# With MATHLIB=1: installs the Mathlib of the toolchain's release, with its compiled files, in /opt/mathlib. Writes the
# search path for sandboxes to /opt/hothouse/lean-path in the format of LEAN_PATH, because a sandbox gets no ENV of the image.
set -eu

[ "${MATHLIB:-}" = 1 ] || exit 0
release=${LEAN_TOOLCHAIN##*:}
sh /machine/packages.sh ca-certificates curl git
if [ -s /machine/ca-certificates.crt ]; then
  export SSL_CERT_FILE=/machine/ca-certificates.crt CURL_CA_BUNDLE=/machine/ca-certificates.crt
  export GIT_SSL_CAINFO=/machine/ca-certificates.crt
fi
export HOME=/tmp XDG_CACHE_HOME=/tmp
mkdir -p /opt/mathlib /opt/hothouse
cd /opt/mathlib
echo "$LEAN_TOOLCHAIN" >lean-toolchain
cat >lakefile.toml <<EOF
name = "sandbox"

[[require]]
name = "mathlib"
git = "https://github.com/leanprover-community/mathlib4"
rev = "$release"
EOF
# Mathlib's hook would have elan install the toolchain, which is here already.
MATHLIB_NO_CACHE_ON_UPDATE=1 lake update
lake exe cache get
lake env printenv LEAN_PATH >/opt/hothouse/lean-path
find /opt/mathlib -name .git -prune -exec rm -rf {} +
chmod -R a+rX /opt/mathlib
echo 'import Mathlib' >/tmp/check.lean
LEAN_PATH=$(cat /opt/hothouse/lean-path) lean /tmp/check.lean
