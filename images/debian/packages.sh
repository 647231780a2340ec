#!/bin/sh
# Installs the named Debian packages with the settings of the build machine. clean.sh restores apt's own settings.
set -eu

export DEBIAN_FRONTEND=noninteractive
apt_conf=/etc/apt/apt.conf.d/99machine
if [ ! -e "$apt_conf" ]; then
  cp /machine/dpkg.cfg /etc/dpkg/dpkg.cfg.d/hothouse
  : >"$apt_conf"
  [ ! -s /machine/apt.conf ] || cat /machine/apt.conf >>"$apt_conf"
  [ ! -s /machine/ca-certificates.crt ] || echo 'Acquire::https::CaInfo "/machine/ca-certificates.crt";' >>"$apt_conf"

  use_mirror() {
    [ -z "$2" ] || find /etc/apt -name '*.sources' -o -name '*.list' |
      xargs sed -Ei "s#https?://[^/ ]+/$1/?( |\$)#$2\1#"
  }
  cp -a /etc/apt /machine/apt
  rm -f /machine/apt/apt.conf.d/99machine
  use_mirror debian "${APT_MIRROR:-}"
  use_mirror debian-security "${APT_SECURITY_MIRROR:-}"
  apt-get update
  # The base image is pinned to one day; its packages are upgraded to today's.
  apt-get upgrade --yes
fi
apt-get install --yes --no-install-recommends "$@"
