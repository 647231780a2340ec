#!/bin/sh
# Installs Debian packages with the settings of the build machine, which do not stay in /etc/apt:
#   apt.sh LIST [LOCK [GIVEN_LOCK]]
# LIST has one package a line; what is installed is written to LOCK, with exact versions and digests. GIVEN_LOCK is that of an
# earlier build: a package with another digest is not installed.
set -eu

export DEBIAN_FRONTEND=noninteractive
settings=$(mktemp -d)
trap 'rm -rf "$settings"' EXIT
cp -a /etc/apt "$settings/etc"

use_mirror() {
  [ -z "$2" ] || find "$settings/etc" -name '*.sources' -o -name '*.list' |
    xargs sed -Ei "s#https?://[^/ ]+/$1/?( |\$)#$2\1#"
}
[ ! -s /machine/mirrors ] || . /machine/mirrors
use_mirror debian "${APT_MIRROR:-}"
use_mirror debian-security "${APT_SECURITY_MIRROR:-}"
{
  echo "Dir::Etc \"$settings/etc\";"
  echo 'Dir::Cache "/cache/apt";'
  echo 'Dir::State::Lists "/cache/apt/lists";'
  echo 'APT::Sandbox::User "root";'
  echo 'Dpkg::Use-Pty "false";'
  echo 'APT::Keep-Downloaded-Packages "true";'
  [ ! -s /machine/apt-certificates.crt ] || echo 'Acquire::https::CaInfo "/machine/apt-certificates.crt";'
  [ ! -s /machine/apt.conf ] || cat /machine/apt.conf
} >"$settings/apt.conf"
export APT_CONFIG="$settings/apt.conf"
mkdir -p /cache/apt/archives/partial /cache/apt/lists/partial
# apt does not wait for another build. The builder's own locks are not used: Podman 4 never gives them back.
exec 9>/cache/apt/build.lock
flock 9

installed() { dpkg-query --show --showformat '${binary:Package}=${Version}\n' | LC_ALL=C sort; }
installed >"$settings/before"
python3 -I /machine/space.py 0
apt-get update --quiet
# apt-get takes a name that it does not know for a pattern, of which many packages may be.
apt-cache pkgnames --all-names >"$settings/names"
while read -r entry; do
  grep --quiet --fixed-strings --line-regexp -e "${entry%%[:=]*}" "$settings/names" || {
    echo "E: Unable to locate package $entry" >&2
    exit 100
  }
done <"$1"
python3 -I /machine/space.py apt "$1"
if [ $# -gt 2 ]; then
  xargs apt-get install --quiet --yes --no-install-recommends --download-only -- <"$1"
  python3 -I /machine/digests.py check "$3"
fi
xargs apt-get install --quiet --yes --no-install-recommends -- <"$1"
installed >"$settings/after"
if [ $# -gt 1 ]; then
  mkdir -p "$(dirname "$2")"
  LC_ALL=C comm -13 "$settings/before" "$settings/after" >"$settings/added"
  python3 -I /machine/digests.py add "$settings/added" >"$2"
fi
# Packages bring programs that would run with another user's rights.
find / -xdev -perm /6000 -type f -exec chmod a-s {} +
rm -rf /var/log/* /var/cache/ldconfig /var/cache/debconf/*-old
