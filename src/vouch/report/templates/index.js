"use strict";

// The overview, the list of checks and the list of sources.
(() => {
  const { h, at, fill, stack, badge } = vouch;
  const ROW = 38; // pixels, as in style.css
  let summary = null;

  // A file's name without the folder that all of them lie in.
  const brief = (name) => (name.startsWith(summary.folder) ? name.slice(summary.folder.length) : name);

  // ---------------------------------------------------------------- the list

  // Columns of all checks that are loaded so far, and which of them are shown in which order.
  const list = {
    size: 0, id: [], message: [], text: [],
    file: null, line: null, column: null, function: null, category: null, verdict: null, decider: null,
    milliseconds: null, flags: null,
    shown: new Int32Array(0), count: 0, current: -1, loaded: false,
  };
  const NUMBERS = ["file", "line", "column", "function", "category", "verdict", "decider", "milliseconds", "flags"];

  // Ranks by name, so that sorting by a name is sorting by a number.
  const ranks = {};

  function ranked(names) {
    const order = names.map((_, i) => i).sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0));
    const rank = new Int32Array(names.length);
    order.forEach((name, place) => { rank[name] = place; });
    return rank;
  }

  function prepare() {
    for (const name of NUMBERS) list[name] = new Int32Array(summary.total);
    ranks.file = ranked(summary.files.map((file) => file.name));
    ranks.function = ranked(summary.functions);
    ranks.category = ranked(summary.categories);
    ranks.decider = ranked(summary.deciders);
    list.size = 0;
    list.loaded = false;
  }

  function take(part) {
    const messages = part.messages;
    const lower = messages.map((message) => message.toLowerCase());
    const { start } = part;
    for (const name of NUMBERS) list[name].set(part[name], start);
    for (let i = 0; i < part.id.length; i++) {
      const where = summary.functions[part.function[i]];
      const id = typeof part.id[i] === "number" ? `${where}.${summary.categories[part.category[i]]}.${part.id[i]}` : part.id[i];
      list.id[start + i] = id;
      list.message[start + i] = messages[part.message[i]];
      list.text[start + i] = `${lower[part.message[i]]}\n${id.toLowerCase()}\n${summary.files[part.file[i]].name.toLowerCase()}:${part.line[i]}`;
    }
    list.size = start + part.id.length;
  }

  // One part after the other, so that no part keeps the page from answering.
  async function loadList(revision) {
    const parts = Math.ceil(summary.total / summary.chunks.list);
    for (let number = 0; number < parts; number++) {
      const part = await vouch.get(`list-${number}`, revision);
      if (part) take(part);
      if (number % 4 === 0 || number === parts - 1) select();
      await new Promise((resolve) => setTimeout(resolve));
    }
    list.loaded = true;
    select();
  }

  // ---------------------------------------------------------------- filters

  const filter = { verdict: new Set(), category: "", file: "", function: "", q: "", sort: "verdict", down: false };

  function readFilter() {
    const hash = vouch.read();
    filter.verdict = new Set((hash.get("verdict") || "").split(",").filter(Boolean));
    for (const name of ["category", "file", "function", "q"]) filter[name] = hash.get(name) || "";
    filter.sort = hash.get("sort") || "verdict";
    filter.down = hash.get("down") === "1";
  }

  function address() {
    return {
      view: "checks", verdict: [...filter.verdict].join(","), category: filter.category, file: filter.file,
      function: filter.function, q: filter.q, sort: filter.sort === "verdict" ? "" : filter.sort, down: filter.down ? 1 : "",
    };
  }

  function changed() {
    vouch.replace(address());
    showFilter();
    select();
    at("scroll").scrollTop = 0;
  }

  // Names that contain what was typed, or the one that is it.
  function matching(names, typed) {
    if (!typed) return null;
    const wanted = new Uint8Array(names.length);
    const exact = names.indexOf(typed);
    const low = typed.toLowerCase();
    names.forEach((name, i) => { wanted[i] = exact >= 0 ? i === exact : name.toLowerCase().includes(low); });
    return wanted;
  }

  function select() {
    const verdicts = filter.verdict.size ? Uint8Array.from(summary.verdicts, (name) => filter.verdict.has(name)) : null;
    const category = filter.category ? summary.categories.indexOf(filter.category) : -2;
    const files = matching(summary.files.map((file) => file.name), filter.file);
    const functions = matching(summary.functions, filter.function);
    const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
    const found = new Int32Array(list.size);
    let count = 0;
    for (let i = 0; i < list.size; i++) {
      if (verdicts && !verdicts[list.verdict[i]]) continue;
      if (category !== -2 && list.category[i] !== category) continue;
      if (files && !files[list.file[i]]) continue;
      if (functions && !functions[list.function[i]]) continue;
      let missed = false;
      for (let w = 0; w < words.length && !missed; w++) missed = !list.text[i].includes(words[w]);
      if (!missed) found[count++] = i;
    }
    list.shown = sorted(found.subarray(0, count));
    list.count = count;
    list.current = -1;
    const all = list.loaded ? "" : ", loading …";
    at("shown").textContent = `${count.toLocaleString("en")} of ${vouch.counted(summary.total, "check")}${all}`;
    at("table").setAttribute("aria-rowcount", String(count + 1));
    draw(true);
  }

  // Checks come in the order of the source; counting keeps that order where the key is the same.
  function sorted(found) {
    const column = { verdict: "verdict", category: "category", place: "file", function: "function", decider: "decider", time: "milliseconds" }[filter.sort] || "verdict";
    const rank = ranks[column];
    const values = list[column];
    const count = found.length;
    const keys = new Int32Array(count);
    let most = 0;
    for (let i = 0; i < count; i++) {
      const value = values[found[i]];
      keys[i] = rank ? rank[value] : value;
      if (keys[i] > most) most = keys[i];
    }
    const starts = new Int32Array(most + 2);
    for (let i = 0; i < count; i++) starts[keys[i] + 1]++;
    for (let k = 0; k <= most; k++) starts[k + 1] += starts[k];
    const order = new Int32Array(count);
    for (let i = 0; i < count; i++) order[starts[keys[i]]++] = found[i];
    return filter.down ? order.reverse() : order;
  }

  const COLUMNS = [
    ["verdict", "Verdict"], ["category", "Category"], ["place", "Place"], ["function", "Function"],
    ["message", "Message"], ["decider", "Decided by"], ["time", "Time"],
  ];

  function buildFilter() {
    fill(at("verdict-chips"), ...summary.by.verdict.map(([name, counts]) => {
      const count = counts.reduce((a, b) => a + b, 0);
      const toggle = () => {
        if (!filter.verdict.delete(name)) filter.verdict.add(name);
        changed();
      };
      return h("button", { type: "button", class: `chip v-${name}`, "data-verdict": name, "aria-pressed": "false", onclick: toggle },
        name, h("span", { class: "count" }, count.toLocaleString("en")));
    }));
    fill(at("category"), h("option", { value: "" }, "any"), ...summary.categories.map((name) => h("option", { value: name }, name)));
    fill(at("file-names"), ...summary.files.slice(0, 1000).map((file) => h("option", { value: file.name })));
    fill(at("function-names"), ...summary.functions.slice(0, 2000).map((name) => h("option", { value: name })));
    fill(at("heads"), ...COLUMNS.map(([name, title]) => h("div", { role: "columnheader", class: `c-${name}`, "data-sort": name },
      name === "message" ? title : h("button", { type: "button", onclick: () => sortBy(name) }, title))));
    let waiting = 0;
    at("search").addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { filter.q = at("search").value; changed(); }, 80);
    });
    at("category").addEventListener("change", () => { filter.category = at("category").value; changed(); });
    for (const name of ["file", "function"]) {
      at(name).addEventListener("change", () => { filter[name] = at(name).value; changed(); });
    }
    at("clear").addEventListener("click", clear);
  }

  function sortBy(name) {
    filter.down = filter.sort === name ? !filter.down : false;
    filter.sort = name;
    changed();
  }

  function clear() {
    Object.assign(filter, { verdict: new Set(), category: "", file: "", function: "", q: "" });
    changed();
  }

  function showFilter() {
    for (const chip of document.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(filter.verdict.has(chip.dataset.verdict)));
    if (at("search") !== document.activeElement) at("search").value = filter.q;
    at("category").value = filter.category;
    at("file").value = filter.file;
    at("function").value = filter.function;
    for (const head of at("heads").children) {
      const own = head.dataset.sort === filter.sort;
      head.setAttribute("aria-sort", own ? (filter.down ? "descending" : "ascending") : "none");
    }
  }

  // ---------------------------------------------------------------- rows in view

  let first = -1;
  let last = -1;

  function draw(again = false) {
    const box = at("scroll");
    if (!box.clientHeight) return;
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - 8);
    const to = Math.min(list.count, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 8);
    if (!again && from === first && to === last) return;
    first = from;
    last = to;
    at("rows").style.height = `${list.count * ROW}px`;
    const rows = [];
    for (let place = from; place < to; place++) rows.push(row(place));
    if (!list.count && list.loaded) rows.push(h("p", { class: "soft empty" }, "Nothing matches."));
    fill(at("rows"), ...rows);
  }

  function row(place) {
    const i = list.shown[place];
    const verdict = summary.verdicts[list.verdict[i]];
    const spot = `${summary.files[list.file[i]].name}:${list.line[i]}`;
    const remark = list.flags[i] & 1 ? "suppressed" : list.flags[i] & 2 ? "known" : "";
    const link = vouch.checkLink(list.id[i], i);
    const line = h("div", { class: `row${place === list.current ? " current" : ""}`, role: "row", "aria-rowindex": place + 2, "data-id": list.id[i] },
      h("div", { role: "cell", class: "c-verdict" }, badge(verdict)),
      h("div", { role: "cell", class: "c-category" }, summary.categories[list.category[i]]),
      h("div", { role: "cell", class: "c-place", title: spot }, h("span", { class: "left" }, brief(spot))),
      h("div", { role: "cell", class: "c-function", title: summary.functions[list.function[i]] }, summary.functions[list.function[i]]),
      h("div", { role: "cell", class: "c-message" }, h("a", { href: link, title: list.message[i] }, list.message[i]), remark && h("span", { class: "tag" }, remark)),
      h("div", { role: "cell", class: "c-decider" }, summary.deciders[list.decider[i]]),
      h("div", { role: "cell", class: "c-time" }, list.milliseconds[i] ? vouch.seconds(list.milliseconds[i] / 1000) : ""));
    line.style.top = `${place * ROW}px`;
    line.addEventListener("click", (event) => {
      if (!(event.target instanceof HTMLAnchorElement) && !String(getSelection())) location.href = link;
    });
    return line;
  }

  function move(by) {
    if (at("checks").hidden || !list.count) return;
    at("scroll").focus({ preventScroll: true });
    list.current = Math.max(0, Math.min(list.count - 1, list.current + by));
    const box = at("scroll");
    const top = list.current * ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    draw(true);
  }

  function open() {
    if (at("checks").hidden || list.current < 0) return;
    const i = list.shown[list.current];
    location.href = vouch.checkLink(list.id[i], i);
  }

  // ---------------------------------------------------------------- the overview

  const filtered = (values) => vouch.address("index.html", { view: "checks", ...values });

  function headline() {
    const counts = Object.fromEntries(summary.by.verdict.map(([name, row]) => [name, row.reduce((a, b) => a + b, 0)]));
    const violated = (counts.unsafe || 0) + (counts.different || 0);
    const proved = (counts.safe || 0) + (counts.equivalent || 0);
    const open = summary.counted - violated - proved;
    const what = summary.runs.every((run) => run.kind === "c") ? "check" : "question";
    if (violated) return `${vouch.counted(violated, "violation")} in ${vouch.counted(summary.counted, what)}`;
    if (open) return `No violation; ${open.toLocaleString("en")} of ${vouch.counted(summary.counted, what)} undecided`;
    return summary.counted ? `All ${vouch.counted(summary.counted, what)} proved` : "Nothing was asked";
  }

  function subline() {
    const total = summary.runs.reduce((sum, run) => sum + run.seconds, 0);
    const parts = [`${vouch.counted(summary.files.length, "file")}`, vouch.seconds(total), `vouch ${summary.version}`];
    const entries = summary.runs.flatMap((run) => run.entries);
    if (entries.length) parts.splice(1, 0, entries.length === 1 ? `entry point ${entries[0]}` : vouch.counted(entries.length, "entry point"));
    if (summary.suppressed) parts.push(`${summary.suppressed} suppressed`);
    if (summary.known) parts.push(`${summary.known} known before`);
    return parts.join(" · ");
  }

  function card(title, ...content) {
    return h("section", { class: "card" }, h("h2", {}, title), ...content);
  }

  // Names with their verdicts as bars; each name leads to its checks.
  function table(title, rows, link, more = 12) {
    const shown = rows.slice(0, more);
    const body = shown.map(([name, counts]) => {
      const total = counts.reduce((a, b) => a + b, 0);
      return h("tr", {},
        h("th", { scope: "row", class: brief(name).includes("/") ? "path" : null }, link ? h("a", { href: filtered(link(name)), title: name }, brief(name)) : name),
        h("td", { class: "wide" }, stack(counts, summary.verdicts)),
        h("td", { class: "number" }, total.toLocaleString("en")));
    });
    const rest = rows.length - shown.length;
    return card(title, h("table", { class: "bars" }, h("tbody", {}, ...body)), rest > 0 && h("p", { class: "soft" }, `and ${rest} more`));
  }

  function pairs(rows) {
    return h("dl", { class: "pairs" }, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
  }

  function timeCard() {
    const stages = new Map();
    for (const run of summary.runs) for (const [name, s] of Object.entries(run.stages)) stages.set(name, (stages.get(name) || 0) + s);
    if (!stages.size) return null;
    const longest = Math.max(...stages.values(), 1e-9);
    const rows = [...stages].map(([name, s]) => h("tr", {},
      h("th", { scope: "row" }, name),
      h("td", { class: "wide" }, h("div", { class: "meter" }, h("span", { style: { width: `${100 * s / longest}%` } }))),
      h("td", { class: "number" }, vouch.seconds(s))));
    return card("Time spent", h("table", { class: "bars" }, h("tbody", {}, ...rows)));
  }

  function configurationCard() {
    const rows = summary.runs.flatMap((run) => Object.entries(run.configuration));
    const entries = summary.runs.flatMap((run) => run.entries);
    if (entries.length) rows.unshift(["entry points", entries.slice(0, 30).join(", ") + (entries.length > 30 ? ` and ${entries.length - 30} more` : "")]);
    return rows.length ? card("Configuration", pairs(rows)) : null;
  }

  function assumptionsCard() {
    const rows = summary.assumptions.map(([text, count]) => h("li", {}, text, " ", h("span", { class: "soft" }, vouch.counted(count, "check"))));
    const basis = h("p", { class: "soft" }, "Every proof rests on the language standard and on the assumptions of the manual about pointers, functions and devices outside. Beyond these:");
    return card("Assumptions", basis, rows.length ? h("ul", { class: "plain-list" }, ...rows) : h("p", {}, "none"));
  }

  function loopsCard() {
    const rows = summary.runs.flatMap((run) => run.loops).slice(0, 40);
    if (!rows.length) return null;
    const body = rows.map(([name, file, line, trips, bound, from]) => h("tr", {},
      h("th", { scope: "row", title: `${file}:${line}` }, name),
      h("td", {}, trips === "None" ? "?" : trips), h("td", { title: from }, bound === "None" ? "none" : bound)));
    return card("Loops", h("div", { class: "sideways" }, h("table", { class: "plain-table" },
      h("thead", {}, h("tr", {}, ...["loop", "rounds", "bound"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...body))));
  }

  const WIDE = 7; // columns of a grid that a card holds

  function grids() {
    // Wide ones first: they go across the page.
    const all = summary.runs.flatMap((run) => run.grids).map((grid) => {
      const made = card(grid.title, h("div", { class: "sideways" }, gridTable(grid)));
      const wide = grid.columns.length > WIDE;
      made.classList.toggle("wide", wide);
      return { made, wide };
    });
    return [...all.filter((one) => one.wide), ...all.filter((one) => !one.wide)].map((one) => one.made);
  }

  function gridTable(grid) {
    const head = h("tr", {}, h("td", {}), ...grid.columns.map((name) => h("th", { scope: "col" }, name)));
    const body = grid.rows.map((name, r) => h("tr", {}, h("th", { scope: "row" }, name), ...grid.cells[r].map(([text, tone, remark]) => {
      const cell = h("td", { title: remark || null, class: typeof tone === "string" && tone ? `cell v-${tone}` : "cell" }, text);
      if (typeof tone === "number") cell.style.setProperty("--share", String(tone));
      if (typeof tone === "number") cell.classList.add("share");
      return cell;
    })));
    return h("table", { class: "grid" }, h("thead", {}, head), h("tbody", {}, ...body));
  }

  function overview() {
    at("headline").textContent = headline();
    at("subline").textContent = subline();
    const totals = summary.verdicts.map((name) => (summary.by.verdict.find(([own]) => own === name) || [0, [0]])[1].reduce((a, b) => a + b, 0));
    const bar = stack(totals, summary.verdicts, true);
    bar.id = "bar";
    at("bar").replaceWith(bar);
    fill(at("legend"), ...summary.verdicts.map((name, i) => totals[i] ? h("li", {},
      h("a", { href: filtered({ verdict: name }), class: `key v-${name}` }, h("strong", {}, totals[i].toLocaleString("en")), ` ${name}`),
      h("span", { class: "soft" }, ` ${vouch.percent(totals[i], summary.counted)}`)) : null));
    const warnings = summary.runs.flatMap((run) => [
      run.interrupted && "The run was interrupted: what was decided so far is shown.",
      run.incomplete && `The run is not complete: ${run.incomplete}`,
      run.replay_failures && `${run.replay_failures} violations were not confirmed by a native run: a bug in vouch.`,
      ...run.warnings]).filter(Boolean);
    fill(at("notices"), warnings.length ? h("details", { class: "notice", open: warnings.length < 4 },
      h("summary", {}, vouch.counted(warnings.length, "warning")), h("ul", {}, ...warnings.slice(0, 200).map((text) => h("li", {}, text)))) : null);
    fill(at("cards"), ...grids(),
      table("By category", summary.by.category, (name) => ({ category: name }), 20),
      table("By file", summary.by.file, (name) => ({ file: name })),
      table("By function", summary.by.function, (name) => ({ function: name })),
      table("How it was decided", summary.by.decider, null),
      timeCard(), assumptionsCard(), configurationCard(), loopsCard());
  }

  function sources() {
    const known = new Map(summary.by.file);
    fill(at("files"), h("table", { class: "bars files" }, h("tbody", {}, ...summary.files.map((file, i) => {
      const counts = known.get(file.name) || [];
      const total = counts.reduce((a, b) => a + b, 0);
      return h("tr", {},
        h("th", { scope: "row" }, file.lines ? h("a", { href: vouch.sourceLink(i, "") }, file.name) : file.name),
        h("td", { class: "number soft" }, file.lines ? vouch.counted(file.lines, "line") : "not part of this report"),
        h("td", { class: "wide" }, total ? stack(counts, summary.verdicts) : ""),
        h("td", { class: "number" }, total ? vouch.counted(total, "check") : ""));
    }))));
  }

  // ---------------------------------------------------------------- views

  function show() {
    const name = vouch.read().get("view") || "overview";
    for (const view of ["overview", "checks", "sources"]) {
      at(view).hidden = view !== name;
      if (view === name) at(`to-${view}`).setAttribute("aria-current", "page");
      else at(`to-${view}`).removeAttribute("aria-current");
    }
    document.body.classList.toggle("full", name === "checks");
    if (name === "checks") {
      readFilter();
      showFilter();
      select();
    }
  }

  // While an analysis runs, the server says when there is news.
  function watch() {
    let seen = -1;
    const ask = async () => {
      try {
        const answer = await fetch("progress.json", { cache: "no-store" });
        const news = await answer.json();
        at("live").hidden = false;
        at("live").textContent = news.text;
        if (seen !== news.revision) {
          if (seen >= 0 && news.revision) await refresh(news.revision);
          seen = news.revision;
        }
        if (news.done) return;
      } catch {
        at("live").textContent = "the server does not answer";
      }
      setTimeout(ask, 1000);
    };
    ask();
  }

  async function refresh(revision) {
    summary = await vouch.get("summary", revision);
    prepare();
    buildFilter();
    overview();
    sources();
    show();
    await loadList(revision);
  }

  async function start() {
    summary = await vouch.get("summary");
    if (!summary) {
      at("headline").textContent = "The data of this report is missing";
      at("overview").hidden = false;
      return;
    }
    prepare();
    buildFilter();
    overview();
    sources();
    show();
    addEventListener("hashchange", show);
    at("scroll").addEventListener("scroll", () => draw(), { passive: true });
    new ResizeObserver(() => draw(true)).observe(at("scroll"));
    vouch.bind(["/"], () => { location.hash = location.hash.includes("view=checks") ? location.hash : "view=checks"; at("search").focus(); at("search").select(); });
    vouch.bind(["j", "ArrowDown"], () => move(1));
    vouch.bind(["k", "ArrowUp"], () => move(-1));
    vouch.bind(["PageDown"], () => move(20));
    vouch.bind(["PageUp"], () => move(-20));
    vouch.bind(["Enter"], open);
    vouch.bind(["Escape"], () => { if (!at("checks").hidden) { at("scroll").focus(); clear(); } });
    if (document.body.dataset.live) watch();
    await loadList(0);
  }

  start();
})();
