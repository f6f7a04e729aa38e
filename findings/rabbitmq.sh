# shellcheck shell=bash
# For the findings about RabbitMQ: the broker of Debian 12 with its MQTT plugin, in a changed root and in namespaces of
# its own, since Erlang wants to be where it was built for. To be sourced.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software rabbitmq-server "3.10.8-1.1+deb12u1 (Debian 12)"
if ! unshare --mount --pid --fork true 2>/dev/null; then skip "needs root, and the right to make namespaces"; fi
debian bookworm rabbitmq-server=3.10.8-1.1+deb12u1 mosquitto-clients dash coreutils sed grep mawk
port=$(free_port)
epmd=$((port + 2))

mkdir -p "$tree"/{dev,proc,tmp,root,etc/rabbitmq,var/lib/rabbitmq,var/log/rabbitmq}
echo 'root:x:0:0::/root:/bin/sh' >"$tree/etc/passwd"
echo 'root:x:0:' >"$tree/etc/group"
echo '127.0.0.1 localhost' >"$tree/etc/hosts"
echo '[rabbitmq_mqtt].' >"$tree/etc/rabbitmq/enabled_plugins"
printf '%s\n' "listeners.tcp.1 = 127.0.0.1:$((port + 1))" "mqtt.listeners.tcp.1 = 127.0.0.1:$port" \
  >"$tree/etc/rabbitmq/rabbitmq.conf"

# inside PROGRAM ARGUMENT...: a program of RabbitMQ's, that ends with everything it has started.
inside() {
  # shellcheck disable=SC2016  # of the shell inside
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/var/lib/rabbitmq LC_ALL=C.UTF-8 \
    RABBITMQ_NODENAME=rabbit@localhost ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="$epmd" RABBITMQ_DIST_PORT=$((epmd + 1)) \
    RABBITMQ_LOGS=- RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}' \
    unshare --mount --pid --fork --kill-child sh -c '
      mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"' \
    sh "$tree" "$@"
}
control() {
  inside /usr/lib/rabbitmq/bin/rabbitmqctl -q "$@" >"$work/control" 2>&1 </dev/null &
  echo $! >>"$work/started"
  wait $! || give_up "rabbitmqctl $*"
}
publish() { in_tree mosquitto_pub -h 127.0.0.1 -p "$port" -u guest -P guest "$@"; }
subscribe() { in_tree mosquitto_sub -h 127.0.0.1 -p "$port" -u guest -P guest "$@"; }

inside /usr/lib/rabbitmq/bin/rabbitmq-server >"$work/rabbitmq.log" 2>&1 </dev/null &
echo $! >>"$work/started"
for second in $(seq 120); do
  if grep -qs 'completed with' "$work/rabbitmq.log"; then break; fi
  if [ "$second" = 120 ]; then give_up "RabbitMQ has not started in two minutes"; fi
  sleep 1
done
