# The servers that tools/compare-ingest measures statmill against, for bash to read in. Of each: start_NAME starts it, for
# Graphite's lines at $line_port and questions at $http_port of 127.0.0.1, with all its files in $scratch and its process
# in $pid, and fails when it does not come up; stored_NAME prints how many samples it has.
# shellcheck shell=bash disable=SC2154  # $scratch, $line_port and $http_port are the reader's

# A port that nobody listens on; should another take it first, the server does not come up and is skipped.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)) && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# start COMMAND...: in the background, its output in $scratch/log; ended by the kernel should this script be killed.
start() {
  setpriv --pdeathsig TERM "$@" >"$scratch/log" 2>&1 &
  pid=$!
}

# wait_until COMMAND...: until it succeeds; fails when the server has ended, or after a minute.
wait_until() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    kill -0 "$pid" 2>/dev/null && ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

start_victoria_metrics() {
  start victoria-metrics -graphiteListenAddr="127.0.0.1:$line_port" -httpListenAddr="127.0.0.1:$http_port" \
    -storageDataPath="$scratch/data" -retentionPeriod=1
  wait_until curl -fsS "http://127.0.0.1:$http_port/health"
}

stored_victoria_metrics() {
  curl -fsS "http://127.0.0.1:$http_port/internal/force_flush" >/dev/null
  curl -fsS "http://127.0.0.1:$http_port/metrics" | awk '/^vm_rows\{type="storage\// { n += $2 } END { print n + 0 }'
}

# The host becomes a tag: InfluxDB is not made for a measurement of each series.
start_influxdb() {
  cat >"$scratch/influxdb.conf" <<END
reporting-enabled = false
bind-address = "127.0.0.1:$(free_port)"
[meta]
  dir = "$scratch/data/meta"
[data]
  dir = "$scratch/data/data"
  wal-dir = "$scratch/data/wal"
  query-log-enabled = false
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:$http_port"
  log-enabled = false
[ifql]
  enabled = false
[[graphite]]
  enabled = true
  bind-address = "127.0.0.1:$line_port"
  database = "graphite"
  batch-size = 5000
  templates = ["servers.* .host.measurement*"]
END
  start influxd -config "$scratch/influxdb.conf"
  wait_until curl -fsS "http://127.0.0.1:$http_port/ping"
}

stored_influxdb() {
  curl -fsS -G "http://127.0.0.1:$http_port/query" --data-urlencode db=graphite \
    --data-urlencode 'q=SELECT count(value) FROM /.*/' | grep -o ',[0-9]*\]\]' | tr -dc '0-9\n' |
    awk '{ n += $1 } END { print n + 0 }'
}

# Its limits on creating and updating files are lifted. Every 5 s it stores what it has received.
start_carbon() {
  mkdir -p "$scratch/carbon"
  cat >"$scratch/carbon/carbon.conf" <<END
[cache]
STORAGE_DIR = $scratch/data
LOCAL_DATA_DIR = $scratch/data/whisper
CONF_DIR = $scratch/carbon
LOG_DIR = $scratch/data
PID_DIR = $scratch/data
USER =
MAX_CACHE_SIZE = inf
MAX_UPDATES_PER_SECOND = inf
MAX_CREATES_PER_MINUTE = inf
WHISPER_SPARSE_CREATE = True
LINE_RECEIVER_INTERFACE = 127.0.0.1
LINE_RECEIVER_PORT = $line_port
PICKLE_RECEIVER_INTERFACE = 127.0.0.1
PICKLE_RECEIVER_PORT = $(free_port)
CACHE_QUERY_INTERFACE = 127.0.0.1
CACHE_QUERY_PORT = $(free_port)
CARBON_METRIC_INTERVAL = 5
CARBON_METRIC_PREFIX = self
END
  printf '[self]\npattern = ^self\\.\nretentions = 1s:1d\n[default]\npattern = .*\nretentions = 10s:25h,5m:7d,1h:90d\n' \
    >"$scratch/carbon/storage-schemas.conf"
  mkdir -p "$scratch/data"
  start carbon-cache --config="$scratch/carbon/carbon.conf" --nodaemon start
  wait_until eval "(exec 3<>/dev/tcp/127.0.0.1/$line_port)"
}

# Received: of a slot that got many samples whisper keeps one.
stored_carbon() {
  sleep 6
  /usr/bin/python3 - "$scratch"/data/whisper/self/agents/*/metricsReceived.wsp <<'END'
import sys, whisper
print(sum(int(v) for v in whisper.fetch(sys.argv[1], 0)[1] if v is not None))
END
}

# limits_of SERVER: "SERIES SAMPLES", the most of each.
limits_of() {
  case $1 in
    carbon) echo 10000 500000 ;;
    influxdb) echo 100000 2000000 ;;
    *) echo 999999999 999999999 ;;
  esac
}

package_of() { [ "$1" = carbon ] && echo graphite-carbon || echo "$1"; }
