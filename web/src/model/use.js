// Utilisation, saturation and errors: which series of a host stand for them, in the order of reading, and from where on a
// value is worth a look (warn) or wrong (bad).

/** @typedef {"utilisation"|"wait"|"pressure"|"disk"|"errors"|"lag"} Limit */

/** @type {Record<Limit, {warn: number, bad: number, unit: string, what: string}>} */
export const kLimits = {
  utilisation: {warn: 80, bad: 95, unit: "percent", what: "utilisation of a resource"},
  wait: {warn: 10e6, bad: 100e6, unit: "ns", what: "p99 of the wait for a CPU"},
  pressure: {warn: 10, bad: 40, unit: "percent", what: "pressure: time in which tasks waited"},
  disk: {warn: 20e6, bad: 80e6, unit: "ns", what: "p99 of a disk's latency"},
  errors: {warn: 0, bad: 1, unit: "per_second", what: "errors: any, and one per second"},
  lag: {warn: 5, bad: 30, unit: "s", what: "how far an agent is behind"},
};

/**
 * @param {Limit} limit
 * @param {number|null|undefined} value in the unit of the limit
 * @returns {""|"ok"|"warn"|"bad"} empty if there is no value
 */
export function judge(limit, value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const {warn, bad} = kLimits[limit];
  if (value >= bad) return "bad";
  return (limit === "errors" ? value > warn : value >= warn) ? "warn" : "ok";
}

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */

/** A group of panels with a heading. @typedef {{id: string, title: string, panels: PanelSpec[], collectors: string[], note?: string}} Section */

/** A text as a glob matches it literally; braces cannot be escaped, so any byte stands for them. @param {string} text */
export function literal(text) {
  return text.replace(/[*?[]/g, "[$&]").replace(/[{}]/g, "?");
}

/**
 * The glob of the series of one host: tags stand in the order of their bytes.
 * @param {string} path may be a glob @param {string} host @param {Record<string, string>} [tags] values are literal, `*` is any
 */
export function hostGlob(path, host, tags = {}) {
  const all = {...tags, host};
  const parts = Object.keys(all).sort().map((key) => {
    const value = /** @type {Record<string, string>} */ (all)[key];
    return `{,*;}${key}=${value === "*" ? "*" : literal(value)}`;
  });
  return `g:${path};${parts.join(";")}{,;*}`;
}

/** The same as a PromQL selector. @param {string} path @param {string} host @param {Record<string, string>} [tags] */
export function hostSelector(path, host, tags = {}) {
  const matchers = Object.entries({...tags, host}).map(([key, value]) => `,${key}=${JSON.stringify(value)}`);
  return `{${JSON.stringify(path)}${matchers.join("")}}`;
}

/**
 * What a host has, as far as it is known: without it every panel is there, and those without data say so.
 * @typedef {object} HostFacts
 * @property {string} host
 * @property {string[]} devices block devices, the busiest first
 * @property {string[]} interfaces
 * @property {Record<string, string>} collectors state by name: `ok`, or why not
 * @property {((path: string, tags: Record<string, string>) => boolean)|null} has whether it has such a series; null while unknown
 * @property {string} [device] the chosen one @property {string} [interface]
 */

/** Order of the modes in a stack, from below. */
const kModes = ["user", "nice", "system", "irq", "softirq", "steal", "iowait", "guest", "guest_nice"];

/**
 * The sections of a host.
 * @param {HostFacts} facts
 * @returns {Section[]}
 */
export function hostSections(facts) {
  const {host} = facts;
  /** @param {string} path @param {Record<string, string>} [tags] */
  const of = (path, tags) => [hostGlob(path, host, tags)];
  /** @param {string} path @param {Record<string, string>} [tags] */
  const select = (path, tags) => hostSelector(path, host, tags);
  /** What a distribution of sizes adds up to, with a label. @param {string} path @param {string} label */
  const traffic = (path, label) => `label_replace(sum(histogram_sum(rate(${select(path)}[$step]))), "way", "${label}", "", "")`;
  /** @param {number} limit @param {string} path @param {string} tag */
  const top = (limit, path, tag) => `topk(${limit}, sum by (${tag}) (rate(${select(path)}[$step])))`;
  /** Panels of series that agents of older versions lack: only those whose series the host has. @param {PanelSpec[]} panels */
  const known = (panels) => panels.filter((panel) => facts.has && wantedOf(panel).every(({path, tags}) => facts.has?.(path, tags)));
  /** @param {string} free @param {string} all */
  const usedByMount = (free, all) => `100 * (1 - sum by (mount) (${select(free)}) / sum by (mount) (${select(all)}))`;
  /** @type {Section[]} */
  const sections = [
    {id: "cpu", title: "CPU", collectors: ["cpu", "load", "sched", "psi", "interrupts", "pmu", "process", "processes"], panels: [
      {id: "cpu-busy", title: "U · busy", series: of("host.cpu.busy_percent")},
      {id: "cpu-wait", title: "S · wait for a CPU", series: of("host.sched.runqueue_wait_ns"), view: "heatmap", stats: ["p50", "p99", "p99.9"]},
      {id: "cpu-modes", title: "U · time by mode", expr: `sum by (mode) (rate({"host.cpu.time_ns",host=${JSON.stringify(host)},mode!="idle"}[$step]))`, unit: "cores", view: "stack", order: kModes},
      {id: "cpu-pressure", title: "S · pressure", series: of("host.psi.stalled_ns", {resource: "cpu"}), unit: "ns_share"},
      {id: "cpu-each", title: "U · each CPU, busy", expr: `sum by (cpu) (rate({"host.cpu.time_ns",host=${JSON.stringify(host)},mode!~"idle|iowait"}[$step]))`, unit: "ns_share", limits: [0, 1e9]},
      {id: "cpu-load", title: "S · load and running tasks", series: [...of("host.load.average_1m"), ...of("host.load.tasks_running")]},
      ...known([{id: "cpu-programs", title: "U · programs, top 10", expr: top(10, "host.program.cpu_ns", "program"), unit: "cores"}]),
      ...known([{id: "cpu-blocked", title: "S · tasks that wait for a device", series: of("host.load.tasks_blocked"), height: "S"}]),
      {id: "cpu-throttled", title: "E · throttled cgroups, top 5", expr: top(5, "host.cgroup.cpu_throttled_ns", "cgroup"), unit: "ns_rate", height: "S"},
      {id: "cpu-exits", title: "E · processes failed or killed", series: [...of("host.process.exits", {result: "failed"}), ...of("host.process.exits", {result: "killed"})], height: "S"},
      ...known([{id: "cpu-processes", title: "processes by state", series: of("host.process.processes"), height: "S"}]),
      {id: "cpu-switches", title: "task switches and migrations", series: [...of("host.sched.switches"), ...of("host.sched.migrations")], height: "S"},
      {id: "cpu-on", title: "time on a CPU", series: of("host.sched.on_cpu_ns"), view: "heatmap", height: "S"},
      ...known([{id: "cpu-off", title: "S · off a CPU: preempted, or asleep for a disk", expr: `sum by (reason) (histogram_sum(rate({"host.sched.off_cpu_ns",host=${JSON.stringify(host)},reason!="sleep"}[$step])))`, unit: "ns_rate", height: "S"}]),
      {id: "cpu-softirq", title: "soft interrupts, time", expr: `sum by (vector) (histogram_sum(rate(${select("host.softirq.duration_ns")}[$step])))`, unit: "ns_share", height: "S"},
      {id: "cpu-ipc", title: "instructions per cycle", expr: `rate(${select("host.pmu.instructions")}[$step]) / ignoring(__name__) rate(${select("host.pmu.cycles")}[$step])`, height: "S"},
    ]},
    {id: "memory", title: "Memory", collectors: ["memory", "psi", "faults", "processes"], panels: [
      {id: "mem-used", title: "U · used", expr: `100 * (1 - avg(${select("host.memory.available_bytes")}) / avg(${select("host.memory.total_bytes")}))`, unit: "percent"},
      {id: "mem-pressure", title: "S · pressure", series: of("host.psi.stalled_ns", {resource: "memory"}), unit: "ns_share"},
      {id: "mem-stack", title: "U · where it is", view: "stack", series: ["free", "cached", "buffers", "slab"].flatMap((part) => of(`host.memory.${part}_bytes`)), order: ["slab", "buffers", "cached", "free"]},
      {id: "mem-swap", title: "S · swapped and paged in", series: [...of("host.memory.swapped_in_bytes"), ...of("host.memory.swapped_out_bytes"), ...of("host.memory.paged_in_bytes")]},
      ...known([{id: "mem-programs", title: "U · programs, top 10", expr: `topk(10, sum by (program) (${select("host.program.resident_bytes")}))`, unit: "bytes"}]),
      {id: "mem-reclaim", title: "S · direct reclaim", series: of("host.memory.direct_reclaim_ns"), view: "heatmap", height: "S"},
      {id: "mem-faults", title: "S · major page faults", series: of("host.memory.major_page_faults"), height: "S"},
      {id: "mem-oom", title: "E · killed for lack of memory", series: of("host.memory.oom_kills"), height: "S"},
      {id: "mem-dirty", title: "waiting to be written", series: of("host.memory.dirty_bytes"), height: "S"},
      ...known([{id: "mem-committed", title: "U · promised to programs", series: [...of("host.memory.committed_bytes"), ...of("host.memory.commit_limit_bytes")], height: "S"}]),
      {id: "mem-cgroups", title: "memory of cgroups, top 10", expr: `topk(10, ${select("host.cgroup.memory_bytes")})`, unit: "bytes", height: "S"},
      {id: "mem-compaction", title: "compaction", series: of("host.memory.compaction_ns"), view: "heatmap", height: "S"},
    ]},
  ];
  sections.push(diskSection(facts, of), {
    id: "filesystems", title: "Filesystems", collectors: ["filesystem", "files"], panels: known([
      {id: "fs-used", title: "U · space used", expr: usedByMount("host.filesystem.available_bytes", "host.filesystem.size_bytes"), unit: "percent"},
      {id: "fs-available", title: "U · space available", series: of("host.filesystem.available_bytes")},
      {id: "fs-inodes", title: "U · inodes used", expr: usedByMount("host.filesystem.inodes_free", "host.filesystem.inodes"), unit: "percent", height: "S"},
      {id: "fs-files", title: "U · open files of the system", series: of("host.files.open"), height: "S"},
      {id: "fs-faults", title: "E · hanging, unreadable, read-only", series: ["hanging", "unreadable", "read_only"].flatMap((part) => of(`host.filesystem.${part}`)), height: "S"},
    ]),
  }, networkSection(facts, of), {
    id: "tcp", title: "TCP", collectors: ["inet", "sockets"], panels: [
      {id: "tcp-bytes", title: "U · sent and received", expr: `${traffic("host.tcp.send_bytes", "sent")} or ${traffic("host.tcp.receive_bytes", "received")}`, unit: "bytes_per_second"},
      {id: "tcp-rtt", title: "S · round trip time", series: of("host.tcp.srtt_us"), view: "heatmap", stats: ["p50", "p99"]},
      {id: "tcp-retransmits", title: "S · retransmits", series: [...of("host.tcp.retransmits"), ...of("host.tcp.timeouts"), ...of("host.tcp.syn_retransmits")]},
      {id: "tcp-connect", title: "S · time to connect", series: of("host.tcp.connect_ns"), view: "heatmap", stats: ["p50", "p99"]},
      {id: "tcp-opens", title: "U · connections opened", series: [...of("host.tcp.active_opens"), ...of("host.tcp.passive_opens")], height: "S"},
      {id: "tcp-fails", title: "E · failed, reset, dropped", series: ["connects_failed", "resets_sent", "resets_received", "listen_drops"].flatMap((part) => of(`host.tcp.${part}`)), height: "S"},
      ...known([
        {id: "tcp-connections", title: "U · connections by state", series: of("host.tcp.connections"), height: "S"},
        {id: "tcp-queue", title: "S · fullest queue of a listening socket", series: of("host.tcp.listen_queue_percent"), height: "S"},
      ]),
      {id: "tcp-states", title: "states entered", series: of("host.tcp.states_entered"), height: "S"},
    ],
  }, {
    id: "cgroups", title: "Cgroups", collectors: ["cgroup", "sched"], panels: [
      {id: "cg-cpu", title: "CPU, top 10", expr: top(10, "host.cgroup.cpu_ns", "cgroup"), unit: "cores"},
      {id: "cg-wait", title: "wait for a CPU, top 10", expr: top(10, "host.cgroup.runqueue_wait_ns", "cgroup"), unit: "ns_rate"},
      {id: "cg-memory", title: "memory, top 10", expr: `topk(10, ${select("host.cgroup.memory_bytes")})`, unit: "bytes"},
      {id: "cg-io", title: "I/O, top 10", expr: top(10, "host.cgroup.io_bytes", "cgroup"), unit: "bytes_per_second"},
      {id: "cg-throttled", title: "E · throttled", expr: top(10, "host.cgroup.cpu_throttled_ns", "cgroup"), unit: "ns_rate", height: "S"},
      {id: "cg-oom", title: "E · killed for lack of memory", expr: top(10, "host.cgroup.memory_oom_kills", "cgroup"), unit: "per_second", height: "S"},
      {id: "cg-tasks", title: "tasks, top 10", expr: `topk(10, ${select("host.cgroup.tasks")})`, height: "S"},
      ...known([
        {id: "cg-preempted", title: "S · preempted by others, top 10", expr: `topk(10, sum by (cgroup) (rate(${select("host.cgroup.preemptions", {by: "other"})}[$step])))`, unit: "per_second", height: "S"},
        {id: "cg-net", title: "network, top 10", expr: top(10, "host.cgroup.net_bytes", "cgroup"), unit: "bytes_per_second", height: "S"},
        {id: "cg-drops", title: "E · packets dropped, top 10", expr: top(10, "host.cgroup.net_drops", "cgroup"), unit: "per_second", height: "S"},
      ]),
      {id: "cg-left", title: "cgroups without series", series: [...of("host.agent.cgroups_left_out"), ...of("host.agent.cgroups_unnamed")], height: "S"},
    ],
  });
  return sections.filter((section) => section.panels.length > 0).map((section) => annotated(section, facts));
}

/** @param {HostFacts} facts @param {(path: string, tags?: Record<string, string>) => string[]} of @returns {Section} */
function diskSection(facts, of) {
  const device = facts.device ?? facts.devices[0] ?? "*";
  const tags = {device};
  return {id: "disk", title: device === "*" ? "Disk" : `Disk ${device}`, collectors: ["block", "psi"], panels: [
    {id: "disk-busy", title: "U · busy", series: of("host.block.busy_ns", tags), unit: "ns_share"},
    {id: "disk-read", title: "S · latency of reads", series: of("host.block.latency_ns", {...tags, op: "read"}), view: "heatmap", stats: ["p50", "p99"]},
    {id: "disk-bytes", title: "U · bytes", series: of("host.block.bytes", tags)},
    {id: "disk-write", title: "S · latency of writes", series: of("host.block.latency_ns", {...tags, op: "write"}), view: "heatmap", stats: ["p50", "p99"]},
    {id: "disk-operations", title: "U · operations", series: of("host.block.operations", tags)},
    {id: "disk-pressure", title: "S · pressure of I/O", series: of("host.psi.stalled_ns", {resource: "io"}), unit: "ns_share"},
    {id: "disk-flight", title: "S · requests in flight", series: of("host.block.in_flight", tags), height: "S"},
    {id: "disk-queue", title: "S · wait in the queue", series: of("host.block.queue_wait_ns"), view: "heatmap", height: "S"},
    {id: "disk-errors", title: "E · errors and requeues", series: [...of("host.block.errors", tags), ...of("host.block.requeues")], height: "S"},
  ]};
}

/** @param {HostFacts} facts @param {(path: string, tags?: Record<string, string>) => string[]} of @returns {Section} */
function networkSection(facts, of) {
  const device = facts.interface ?? facts.interfaces[0] ?? "*";
  const tags = {device};
  return {id: "network", title: device === "*" ? "Network" : `Network ${device}`, collectors: ["net", "inet"], panels: [
    {id: "net-bytes", title: "U · bytes", series: of("host.net.bytes", tags)},
    {id: "net-drops", title: "S · drops", series: of("host.net.drops", tags)},
    {id: "net-packets", title: "U · packets", series: of("host.net.packets", tags), height: "S"},
    {id: "net-stack", title: "S · drops by reason", series: of("host.net.stack_drops"), height: "S"},
    {id: "net-listen", title: "S · full queues and buffers", series: [...of("host.tcp.listen_drops"), ...of("host.udp.receive_buffer_errors")], height: "S"},
    {id: "net-errors", title: "E · errors", series: [...of("host.net.errors", tags), ...of("host.net.transmit_timeouts")], height: "S"},
    {id: "net-container", title: "interfaces of containers", series: of("host.net.container_bytes"), height: "S"},
    {id: "net-softirq", title: "soft interrupts of the network", series: [...of("host.softirq.duration_ns", {vector: "net_rx"}), ...of("host.softirq.duration_ns", {vector: "net_tx"})], view: "heatmap", height: "S"},
  ]};
}

/**
 * Says in panels without data why: the collector that would send them does not work, or nothing of it came yet.
 * @param {Section} section @param {HostFacts} facts
 * @returns {Section}
 */
function annotated(section, facts) {
  const broken = section.collectors.filter((name) => facts.collectors[name] && facts.collectors[name] !== "ok");
  const note = broken.map((name) => `${name}: ${facts.collectors[name]}`).join(" · ");
  const panels = section.panels.map((panel) => {
    const has = facts.has;
    const wanted = wantedOf(panel);
    if (!has || wanted.some(({path, tags}) => has(path, tags))) return panel;
    const path = wanted[0]?.path ?? "this";
    return {...panel, note: collectorOf(path, facts.collectors) ?? `${path} is not among the series of this host`};
  });
  return {...section, panels, note: note || undefined};
}

/** Paths and tags of the series that a panel of a host is about, without the host. @param {PanelSpec} panel @returns {{path: string, tags: Record<string, string>}[]} */
export function wantedOf(panel) {
  if (panel.expr) return [...panel.expr.matchAll(/\{"(host\.[^"]+)"/g)].map((found) => ({path: found[1], tags: {}}));
  return (panel.series ?? []).map((name) => {
    const glob = name.replace(/^g:/, "");
    const tags = [...glob.matchAll(/\{,\*;\}([^=;]+)=([^;{]*)/g)].filter(([, key, value]) => key !== "host" && value !== "*").map(([, key, value]) => [key, value]);
    return {path: glob.split(";")[0], tags: Object.fromEntries(tags)};
  });
}

/** Collectors by the parts of paths that they send. */
const kCollectors = /** @type {Record<string, string>} */ ({
  pmu: "pmu", sched: "sched", psi: "psi", block: "block", net: "net", tcp: "inet", udp: "inet", cgroup: "cgroup", softirq: "interrupts", process: "process",
  memory: "memory", cpu: "cpu", load: "load", program: "processes", users: "users", filesystem: "filesystem", files: "files", sockets: "sockets",
});

/** @param {string} path @param {Record<string, string>} collectors */
function collectorOf(path, collectors) {
  const name = kCollectors[path.split(".")[1] ?? ""];
  const state = name ? collectors[name] : undefined;
  return state && state !== "ok" ? `${name}: ${state}` : null;
}

/** A part of a host has no data: panels that know it stand at the end of their section. @param {Section} section @returns {{present: PanelSpec[], absent: PanelSpec[]}} */
export function parted(section) {
  return {present: section.panels.filter((panel) => !panel.note), absent: section.panels.filter((panel) => panel.note)};
}
