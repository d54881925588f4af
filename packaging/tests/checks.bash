# What the tests inside a root file system share. Each sources this file.
# shellcheck shell=bash
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'failed: %s\n' "$*"
  [ ! -d /run/systemd/system ] || journalctl --no-pager -n 40 -u statmilld -u statmill-agent || true
  exit 1
}
pass() { printf 'ok: %s\n' "$*"; }
trap 'echo "failed: line $LINENO: $BASH_COMMAND"' ERR

# quietly COMMAND...: shows what it prints only if it fails.
quietly() { "$@" >/root/output 2>&1 || { cat /root/output; fail "$*"; }; }

# wait_until COMMAND...: at most 30 s.
wait_until() {
  local end=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || fail "in 30 s: $*"
    sleep 0.2
  done
}

release_of() { dpkg-query -W -f '${Version}' "$1"; }
main_pid() { systemctl show -p MainPID --value "$1"; }
