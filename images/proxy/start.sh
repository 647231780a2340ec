#!/bin/sh
# As root: closes every way but the one to public addresses, so that not even a proxy that is deceived has another, then
# gives up all rights and serves. stdin is a tar archive of what the engine decides.
set -eu
cd /config
tar -x

# default via GATEWAY dev DEVICE
set -- $(ip -4 route show default)
gateway=$3 device=$5
ip route replace default via "$gateway" dev "$device" onlink
ip -4 route show dev "$device" scope link | while read -r network _; do
  ip route del "$network" dev "$device"
done
for network in 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15; do
  ip route add unreachable "$network"
done
open() {
  case $1 in
    0.* | 127.* | 169.254.* | *:*) ;;
    "$gateway") ip route replace "$1/32" dev "$device" scope link ;;
    *) ip route replace "$1/32" via "$gateway" dev "$device" onlink ;;
  esac
}
while read -r word address _; do
  [ "$word" != nameserver ] || open "$address"
done </etc/resolv.conf
while read -r host; do
  for address in $(getent ahostsv4 "$host" | cut -d ' ' -f 1 | sort -u); do open "$address"; done
done <private-hosts

[ ! -e certificates.pem ] || cp certificates.pem /run/hothouse/
chown proxy:proxy /config /config/* /run/hothouse
exec setpriv --reuid=proxy --regid=proxy --clear-groups --inh-caps=-all --ambient-caps=-all --bounding-set=-all \
  --no-new-privs /bin/sh /opt/hothouse/serve.sh
