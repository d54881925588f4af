# The servers that tools/compare-ingest compares with statmill; it and tools/compare-agents source this file. Each server has two functions. start_NAME
# starts it on 127.0.0.1, with Graphite's lines at $line_port, queries at $http_port and all its files in $scratch, sets $pid,
# and fails if the server does not get ready. stored_NAME prints the number of samples it has stored.
# shellcheck shell=bash disable=SC2154  # compare-ingest sets $scratch, $line_port and $http_port

# Prints a port that no process listens on. If another process gets it first, the server does not start and is skipped.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)) && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# start COMMAND...: runs it in the background with its output in $scratch/log. If this script is killed, the kernel ends it.
start() {
  setpriv --pdeathsig TERM "$@" >"$scratch/log" 2>&1 &
  pid=$!
}

# wait_until COMMAND...: repeats it until it succeeds. Fails if the server has ended, or after a minute.
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

# The host becomes a tag, because InfluxDB is not designed for one measurement per series.
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

# Without carbon's limits on creating and updating files. It stores the number of received samples every 5 s.
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

# Prints the number received, not stored, because whisper keeps only one of the samples of a slot.
stored_carbon() {
  sleep 6
  /usr/bin/python3 - "$scratch"/data/whisper/self/agents/*/metricsReceived.wsp <<'END'
import sys, whisper
print(sum(int(v) for v in whisper.fetch(sys.argv[1], 0)[1] if v is not None))
END
}

# limits_of SERVER: prints "SERIES SAMPLES", the maximum of each for a run.
limits_of() {
  case $1 in
    carbon) echo 10000 500000 ;;
    influxdb) echo 100000 2000000 ;;
    *) echo 999999999 999999999 ;;
  esac
}

package_of() { [ "$1" = carbon ] && echo graphite-carbon || echo "$1"; }
