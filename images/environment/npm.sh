#!/bin/sh
# Installs Node.js packages into /node_modules, where code in every folder finds them:
#   npm.sh PACKAGE_JSON LOCK [GIVEN_LOCK]
# HOTHOUSE_ROOT names a folder that stands for the root.
set -eu

if ! command -v npm >/dev/null; then
  echo "The image has no npm, which installs the packages of Node.js." >&2
  exit 1
fi
python3 -I /machine/space.py 0
[ ! -s /machine/npmrc ] || export npm_config_userconfig=/machine/npmrc
[ ! -s /machine/ca-certificates.crt ] || export NODE_EXTRA_CA_CERTS=/machine/ca-certificates.crt
export npm_config_cache=/cache/npm npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
folder=/tmp/environment
mkdir "$folder"
cp "$1" "$folder/package.json"
cd "$folder"
if [ $# -gt 2 ]; then
  cp "$3" package-lock.json
  npm ci
else
  npm install --omit-lockfile-registry-resolved
fi
mkdir -p "$(dirname "$2")"
cp package-lock.json "$2"
[ ! -d node_modules ] || mv node_modules "${HOTHOUSE_ROOT:-}/node_modules"
rm -rf "$folder"
