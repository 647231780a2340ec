#!/bin/sh
# Makes /opt/lean a toolchain that every user can read, with its own programs on PATH: elan's shims would write files and
# need the network.
set -eu

if [ ! -x /opt/lean/bin/lean ]; then
  sh /machine/packages.sh elan ca-certificates
  [ ! -s /machine/ca-certificates.crt ] || export SSL_CERT_FILE=/machine/ca-certificates.crt
  export ELAN_HOME=/opt/elan HOME=/tmp
  elan toolchain install "$LEAN_TOOLCHAIN"
  lean=$(find /opt/elan/toolchains -path '*/bin/lean' | head -n 1)
  rm -rf /opt/lean
  ln -s "$(dirname "$(dirname "$lean")")" /opt/lean
  apt-get purge --yes elan
fi
rm -f /opt/lean/README
chmod -R a+rX "$(readlink -f /opt/lean)"
for program in lean lake leanc leanchecker; do
  [ ! -x "/opt/lean/bin/$program" ] || ln -sf "/opt/lean/bin/$program" "/usr/local/bin/$program"
done
lean --version
