#!/bin/sh
# Serves one sandbox, through a socket in the volume that both share, and ends with it.
set -eu
folder=/run/hothouse
mkfifo /config/log
cat /config/log &
squid -N -f /opt/hothouse/squid.conf &
squid=$!
until socat -u OPEN:/dev/null TCP4:127.0.0.1:3128 2>/dev/null; do
  kill -0 "$squid"
  sleep 0.02
done
socat -t 30 UNIX-LISTEN:"$folder/proxy",mode=0666,fork,max-children=64,backlog=128 TCP4:127.0.0.1:3128 &
# The sandbox holds one connection to this socket for as long as it lives.
{
  socat -u UNIX-LISTEN:"$folder/life",mode=0666,accept-timeout=60 OPEN:/dev/null || true
  kill "$squid"
} &
wait "$squid"
