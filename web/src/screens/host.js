// One host in the order of use: for each resource how busy it is (U), what waits (S) and what fails (E).

import {html, nothing, render} from "lit-html";
import {repeat} from "lit-html/directives/repeat.js";
import {isAbort} from "../data/client.js";
import {age, number, text, time, visible} from "../model/format.js";
import {hostSections, literal, parted} from "../model/use.js";
import {icon} from "../parts/icon.js";
import {shortHost} from "../parts/name.js";
import {spark} from "../parts/spark.js";
import {cgroupPanels, containersOf, hasSeries, kCgroupColumns, loadCgroups, loadRow, loadSeries, rankDevices, tagValues} from "./host_facts.js";
import {kColumns, kGroupLabels} from "./hosts_model.js";
import {hostList} from "./host_list.js";
import {createPanelGrid} from "./panel_grid.js";
import {changesOf, withChange} from "./panel_url.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */

const kGlyphs = {ok: "✓", warn: "△", bad: "✕", "": ""};
const kGradeWords = {ok: "good", warn: "worth a look", bad: "bad", "": ""};
/** Facts are read anew after so long, in seconds: devices and cgroups come and go. */
const kFactsAge = 60;
/** So long a section that was chosen keeps its place, in ms: what is above it has loaded by then. */
const kKeepSection = 5000;

/**
 * Small panels stand three in a row below the large ones, and a large one without a neighbour is as wide as both.
 * @param {PanelSpec[]} panels
 */
function spansOf(panels) {
  const small = panels.filter((panel) => panel.height === "S");
  const large = panels.filter((panel) => panel.height !== "S");
  /** @type {Record<string, number>} */
  const spans = Object.fromEntries(small.map((panel) => [panel.id, 4]));
  if (large.length % 2 === 1) spans[large[large.length - 1].id] = 12;
  // The same for the last row of small ones: one alone is wide, two share the row.
  if (small.length % 3 === 1) spans[small[small.length - 1].id] = 12;
  else if (small.length % 3 === 2) for (const panel of small.slice(-2)) spans[panel.id] = 6;
  return spans;
}

/** Narrow screens have one section open at a time. */
const kPhone = "(max-width: 700px)";

/** @param {HTMLElement} element @param {App} app */
export function createHostScreen(element, app) {
  const host = app.route().arg;
  const abort = new AbortController();
  const head = document.createElement("header");
  const body = document.createElement("div");
  head.className = "host-head";
  element.classList.add("host-screen");
  element.append(head, body);
  const phone = window.matchMedia(kPhone);
  phone.addEventListener("change", () => draw(), {signal: abort.signal});
  /** @type {import("./host_facts.js").SeriesOfHost[]|null} */
  let series = null;
  /** @type {ReturnType<typeof hasSeries>|null} */
  let has = null;
  let isTruncated = false;
  /** @type {string[]} */
  let devices = [];
  /** @type {string[]} */
  let interfaces = [];
  /** @type {Awaited<ReturnType<typeof loadRow>>} */
  let row = null;
  /** @type {any} */
  let cgroups = null;
  let sort = {column: 0, down: true};
  let fault = "";
  let readAt = 0;
  let filter = "";
  let scrolledTo = "";
  let letScroll = () => {};
  const grid = createPanelGrid(body, app, {
    change: (id, change) => app.store.patch({own: withChange(app.route(), id, change)}),
    matchOf: () => `{host=${JSON.stringify(host)}}`,
    where: `host=${host}`,
    act(id, action) {
      if (action !== "dashboard" && action !== "duplicate") return;
      const panel = panelsNow().find((one) => one.id === id);
      if (panel) app.go({screen: "explore", arg: "", own: panel.expr ? {"p0.e": [panel.expr]} : {p0: panel.series ?? []}});
    },
  });

  async function read() {
    readAt = app.clock.now();
    try {
      const [found] = await Promise.all([loadSeries(app, host, abort.signal), app.hosts.load({signal: abort.signal}).catch(() => [])]);
      series = found.series;
      has = hasSeries(found.series);
      isTruncated = found.truncated;
      fault = "";
      const range = {from: app.route().from, until: app.route().until};
      const disks = tagValues(series, "host.block.busy_ns", "device");
      const links = tagValues(series, "host.net.bytes", "device");
      [devices, interfaces] = await Promise.all([
        rankDevices(app, host, "host.block.busy_ns", disks, range), rankDevices(app, host, "host.net.bytes", links, range),
      ]);
      draw();
      await readNow();
    } catch (error) {
      if (isAbort(error)) return;
      fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }

  /** What changes with each refresh: the judgement and the table of cgroups. */
  async function readNow() {
    try {
      const range = {from: app.route().from, until: app.route().until};
      [row, cgroups] = await Promise.all([loadRow(app, host, abort.signal), loadCgroups(app, host, range, sort.column, sort.down, abort.signal)]);
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
    draw();
  }

  /** @param {string} key of the route */
  const own = (key) => app.route().own[key]?.[0] ?? "";

  function sections() {
    const known = app.hosts.find(host);
    const device = devices.includes(own("dev")) ? own("dev") : undefined;
    const link = interfaces.includes(own("if")) ? own("if") : undefined;
    return hostSections({host, devices, interfaces, collectors: known?.collectors ?? {}, has, ...(device ? {device} : {}), ...(link ? {interface: link} : {})});
  }

  /** With the changes of the user, and the other host that is laid beside. @param {PanelSpec} panel @returns {PanelSpec} */
  function drawn(panel) {
    const other = own("vs");
    const names = panel.series && panel.view !== "heatmap" && panel.view !== "stack" && other
      ? {series: [...panel.series, ...panel.series.map((name) => name.replace(`host=${literal(host)}`, () => `host=${literal(other)}`))]} : {};
    return {...panel, ...names, ...changesOf(app.route(), panel.id)};
  }

  function panelsNow() {
    const chosen = own("cg");
    return [...sections().flatMap((section) => section.panels), ...(chosen ? cgroupPanels(host, chosen) : [])].map(drawn);
  }

  /** How good one resource is. @param {string} id @returns {""|"ok"|"warn"|"bad"} */
  function gradeOf(id) {
    if (!row) return "";
    const ranks = ["", "ok", "warn", "bad"];
    let worst = 0;
    row.cells.forEach((cell, i) => {
      if (kColumns[i].group === id) worst = Math.max(worst, ranks.indexOf(cell.grade));
    });
    return /** @type {any} */ (ranks[worst]);
  }

  /** @param {string} grade */
  const glyph = (grade) => html`<span class="glyph ${grade}" aria-hidden="true">${/** @type {any} */ (kGlyphs)[grade]}</span>${grade === "" ? nothing : html`<span class="visually-hidden">${/** @type {any} */ (kGradeWords)[grade]}</span>`}`;

  /** No series has this host: a name that is wrong, or gone. */
  const isUnknown = () => series !== null && series.length === 0;

  function drawHead() {
    const known = app.hosts.find(host);
    const agent = known?.agent ?? null;
    const collectors = Object.entries(known?.collectors ?? {});
    const broken = collectors.filter(([, state]) => state !== "ok");
    const other = own("vs");
    const others = app.hosts.known().map((one) => one.host).filter((name) => name !== host);
    const worst = row && row.worst >= 0 ? kColumns[row.worst] : null;
    const compare = app.route().cmp;
    render(html`
      <div class="host-title">
        <h1><bdi>${visible(host)}</bdi></h1>
        ${row ? html`<p class="host-verdict ${row.grade}">${glyph(row.grade)} ${known?.up === false ? "away" : worst
          ? html`${kGroupLabels[worst.group]} ${worst.letter}: ${worst.title} <b class="num">${text(row.cells[row.worst].value, worst.unit, {digits: 3})}</b>` : "nothing stands out"}</p>` : nothing}
        ${Object.entries(known?.tags ?? {}).map(([key, value]) => html`<span class="host-tag">${visible(key)}=<b>${visible(value)}</b></span>`)}
      </div>
      <p class="host-facts">
        ${agent ? html`<span>${glyph(agent.connected ? "ok" : "bad")} agent ${agent.connected ? "" : html`away, seen ${age(app.clock.now() - agent.seen_s)} ago`}
          ${agent.connected && agent.behind_s !== null && agent.behind_s !== undefined ? html`<span class="num">lag ${age(agent.behind_s)}</span>` : nothing}
          ${typeof agent.skew_ms === "number" ? html`<span class="num">skew ${agent.skew_ms > 0 ? "+" : ""}${number(agent.skew_ms, "ms").text} ${number(agent.skew_ms, "ms").unit}</span>` : nothing}</span>` : nothing}
        ${agent?.kernel ? html`<span>kernel <bdi>${visible(agent.kernel)}</bdi></span>` : nothing}
        ${agent?.booted_s ? html`<span title=${`booted ${time(agent.booted_s, app.zone())}`}>up <span class="num">${age(app.clock.now() - agent.booted_s)}</span></span>` : nothing}
        ${collectors.length ? html`<span>collectors ${collectors.length - broken.length} ${glyph("ok")}</span>` : nothing}
        ${broken.map(([name, state]) => html`<span class="warn">${glyph("warn")} ${visible(name)}: ${visible(state)}</span>`)}
      </p>
      <nav class="host-nav" ?hidden=${isUnknown()} aria-label="Parts of the host">
        ${sections().map((section) => html`<button type="button" class="host-tab" aria-current=${own("o") === section.id ? "true" : nothing} @click=${() => jump(section.id)}>${glyph(gradeOf(section.id))}${section.title.split(" ")[0]}</button>`)}
        <button type="button" class="host-tab" aria-current=${own("o") === "all" ? "true" : nothing} @click=${() => jump("all")}>All <span class="num">${series ? series.length : ""}</span></button>
        <label class="host-vs">vs <span class="select"><select @change=${(/** @type {Event} */ event) => chooseOther(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
          <option value="" ?selected=${!other && !compare}>none</option>
          <option value="@1d" ?selected=${compare === "1d"}>a day before</option><option value="@1w" ?selected=${compare === "1w"}>a week before</option>
          ${others.slice(0, 500).map((name) => html`<option value=${name} ?selected=${other === name}>${visible(name)}</option>`)}</select>${icon("down")}</span></label>
      </nav>
      ${fault ? html`<p class="fault-note" role="alert">${visible(fault)}</p>` : nothing}
      ${isUnknown() ? html`<p class="empty-note">No series is of the host <bdi>${visible(host)}</bdi>. It may have another name: see <a href="#/hosts">all hosts</a>.</p>` : nothing}`, head);
    // while the page scrolls, the row of sections stays below the frame
    const nav = /** @type {HTMLElement|null} */ (head.querySelector(".host-nav"));
    if (nav) head.style.setProperty("--above", `${nav.offsetTop}px`);
  }

  /** @param {string} value */
  function chooseOther(value) {
    if (value.startsWith("@")) {
      app.goOwn({vs: ""});
      app.go({cmp: value.slice(1)});
    } else {
      app.go({cmp: ""});
      app.goOwn({vs: value});
    }
  }

  /** @param {string} id of a section */
  function jump(id) {
    scrolledTo = "";
    app.goOwn({o: id});
    scroll(id);
  }

  /** Shows a section, and keeps it in its place while panels above it load and grow, for some seconds or until the user acts. @param {string} id */
  function scroll(id) {
    const target = body.querySelector(`[data-group="${id}"]`);
    if (!target || scrolledTo === id) return;
    scrolledTo = id;
    letScroll();
    const observer = new ResizeObserver(() => target.scrollIntoView({block: "start"}));
    const until = new AbortController();
    const timer = setTimeout(() => letScroll(), kKeepSection);
    letScroll = () => {
      clearTimeout(timer);
      observer.disconnect();
      until.abort();
    };
    for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) window.addEventListener(act, () => letScroll(), {signal: until.signal, passive: true});
    observer.observe(body);
  }

  /** @param {string} label @param {string[]} all @param {string} chosen @param {(value: string) => void} pick */
  function picker(label, all, chosen, pick) {
    if (all.length < 2) return nothing;
    return html`<label class="host-pick">${label} <span class="select"><select @change=${(/** @type {Event} */ event) => pick(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
      ${all.map((name) => html`<option value=${name} ?selected=${name === chosen}>${visible(name)}</option>`)}</select>${icon("down")}</span></label>`;
  }

  /** @param {import("../model/use.js").Section} section */
  function sectionHead(section) {
    const {absent} = parted(section);
    const extra = section.id === "disk" ? picker("device", devices, own("dev") || devices[0], (dev) => app.goOwn({dev}))
      : section.id === "network" ? picker("interface", interfaces, own("if") || interfaces[0], (link) => app.goOwn({if: link})) : nothing;
    const name = html`${glyph(gradeOf(section.id))}${section.title}<span class="host-of">on <bdi>${visible(shortHost(host))}</bdi></span>`;
    if (!isOpen(section.id)) {
      return html`<div class="host-section"><h2><button type="button" class="host-fold" aria-expanded="false" @click=${() => jump(section.id)}>${name}</button></h2></div>`;
    }
    return html`<div class="host-section"><h2>${phone.matches ? html`<button type="button" class="host-fold" aria-expanded="true" @click=${() => app.goOwn({o: "none"})}>${name}</button>` : name}</h2>${extra}
      ${section.note ? html`<span class="host-note">${visible(section.note)}</span>` : nothing}
      ${absent.length && series ? html`<details class="host-absent"><summary>${absent.length} without data</summary><ul>${absent.map((panel) => html`<li>${panel.title}: ${visible(panel.note ?? "")}</li>`)}</ul></details>` : nothing}</div>
      ${section.id === "cgroups" ? cgroupTable() : nothing}`;
  }

  /** On a phone one section is open: the chosen one, else the worst one, else the first. @param {string} id */
  function isOpen(id) {
    if (!phone.matches) return true;
    const worst = row && row.worst >= 0 ? kColumns[row.worst].group : "cpu";
    return (own("o") || worst) === id;
  }

  function cgroupTable() {
    if (!cgroups?.rows?.length) return nothing;
    const names = containersOf(series ?? []);
    return html`<div class="host-cgroups" tabindex="0" role="region" aria-label="Cgroups"><table><caption class="visually-hidden">Cgroups of ${visible(host)}</caption>
      <thead><tr><th scope="col">cgroup</th>${kCgroupColumns.map((column, i) => html`<th scope="col" class="right" aria-sort=${sort.column === i ? (sort.down ? "descending" : "ascending") : "none"}>
        <button type="button" class="sort ${sort.column === i ? (sort.down ? "descending" : "ascending") : ""}" @click=${() => sortBy(i)}>${column.label}</button></th>`)}<th scope="col">CPU</th></tr></thead>
      <tbody>${repeat(cgroups.rows, (/** @type {any} */ one) => one.row, (/** @type {any} */ one) => html`<tr class=${own("cg") === one.row ? "chosen" : ""}>
        <th scope="row"><button type="button" class="link name" aria-expanded=${own("cg") === one.row ? "true" : "false"} @click=${() => app.goOwn({cg: own("cg") === one.row ? "" : one.row})}>${names.has(one.row) ? html`<b>${visible(names.get(one.row) ?? "")}</b> ` : nothing}<bdi>${visible(one.row)}</bdi></button></th>
        ${kCgroupColumns.map((column, i) => html`<td class="num right">${text(one.values[i], column.unit, {digits: 3})}</td>`)}<td>${spark(one.spark, {width: 88, height: 18})}</td></tr>`)}</tbody></table>
      ${cgroups.total > cgroups.rows.length ? html`<p class="host-note">the first ${cgroups.rows.length} of ${cgroups.total}</p>` : nothing}</div>`;
  }

  /** @param {number} column */
  function sortBy(column) {
    sort = {column, down: sort.column === column ? !sort.down : true};
    void readNow();
  }

  function draw() {
    if (abort.signal.aborted) return;
    drawHead();
    const all = sections();
    const chosen = own("cg");
    /** @type {import("./panel_grid.js").Group[]} */
    const groups = [];
    for (const section of isUnknown() ? [] : all) {
      const {present} = parted(section);
      // The panels of the chosen cgroup stand right below the table in which it was chosen.
      const first = section.id === "cgroups" && chosen ? cgroupPanels(host, chosen) : [];
      const panels = isOpen(section.id) ? [...first, ...present].map(drawn) : [];
      groups.push({id: section.id, head: sectionHead(section), columns: 2, spans: spansOf(panels), panels});
    }
    if (!isUnknown()) groups.push({id: "all", head: series ? hostList({series, isTruncated, filter, now: app.clock.now(), type: (value) => { filter = value; draw(); },
      open: (name) => app.go({screen: "explore", arg: "", own: {p0: [name]}})}) : html`<div class="host-section"><h2>All</h2></div>`, panels: []});
    grid.update(groups);
    if (own("o") && own("o") !== "none" && series) scroll(own("o"));
  }

  /** @param {1|-1} step */
  function beside(step) {
    const next = app.hosts.beside(host, step);
    if (next) app.go({screen: "host", arg: next, own: {o: [own("o")]}});
  }

  return {
    title: () => {
      const grade = row?.grade ?? "";
      return `${/** @type {any} */ (kGlyphs)[grade]} ${visible(host)}`.trim();
    },
    update() {
      if (app.clock.now() - readAt > kFactsAge) void read();
      draw();
    },
    refresh() {
      if (app.clock.now() - readAt > kFactsAge) void read();
      else void readNow();
      grid.refresh();
    },
    /** @param {string} name @param {KeyboardEvent} event */
    key(name, event) {
      if (name === "n" || name === "p") {
        beside(name === "n" ? 1 : -1);
        return true;
      }
      return grid.key(name, event);
    },
    destroy() {
      abort.abort();
      letScroll();
      grid.destroy();
      element.replaceChildren();
      element.classList.remove("host-screen");
    },
  };
}

