#!/bin/sh
# Installs the named Debian packages with the settings of the build machine, then removes everything else.
set -eu

export DEBIAN_FRONTEND=noninteractive
apt_conf=/etc/apt/apt.conf.d/99machine
: >"$apt_conf"
[ ! -s /machine/apt.conf ] || cat /machine/apt.conf >>"$apt_conf"
[ ! -s /machine/ca-certificates.crt ] || echo 'Acquire::https::CaInfo "/machine/ca-certificates.crt";' >>"$apt_conf"

use_mirror() {
  [ -z "$2" ] || find /etc/apt -name '*.sources' -o -name '*.list' |
    xargs sed -Ei "s#https?://[^/ ]+/$1/?( |\$)#$2\1#"
}
cp -a /etc/apt /machine/apt
use_mirror debian "${APT_MIRROR:-}"
use_mirror debian-security "${APT_SECURITY_MIRROR:-}"

apt-get update
# The base image is pinned to one day; its packages are upgraded to today's.
apt-get upgrade --yes
apt-get install --yes --no-install-recommends "$@"

# The test suites of the libraries.
for library in matplotlib pandas scipy sklearn sympy; do
  find "/usr/lib/python3/dist-packages/$library" -type d -name tests -prune -exec rm -rf {} + 2>/dev/null || true
done
rm -rf /etc/apt && mv /machine/apt /etc/apt
rm -f /etc/apt/apt.conf.d/99machine
rm -rf /machine /var/lib/apt/lists/* /var/cache/* /var/log/* /tmp/* /root/.cache
find / -xdev -perm /6000 -type f -exec chmod a-s {} +
