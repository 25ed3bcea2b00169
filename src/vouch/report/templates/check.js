"use strict";

// One check: what is known of it, its source, and its trace to step through.
(() => {
  const { h, at, fill, badge } = vouch;
  let summary = null;
  let check = null; // the row of the list
  let trace = [];
  let states = [];
  let step = 0;
  let code = null;

  const brief = (name) => (name.startsWith(summary.folder) ? name.slice(summary.folder.length) : name);

  // ---------------------------------------------------------------- finding it

  const verdictOf = (row) => summary.verdicts[row.verdict];

  async function rowAt(index) {
    const size = summary.chunks.list;
    const part = await vouch.get(`list-${Math.floor(index / size)}`);
    const i = index % size;
    if (!part || i >= part.id.length) return null;
    const name = summary.functions[part.function[i]];
    const category = summary.categories[part.category[i]];
    return {
      index, category, function: name,
      id: typeof part.id[i] === "number" ? `${name}.${category}.${part.id[i]}` : part.id[i],
      file: part.file[i], line: part.line[i], column: part.column[i], verdict: part.verdict[i],
      decider: summary.deciders[part.decider[i]], message: part.messages[part.message[i]],
    };
  }

  // The index in a link is a hint: a newer report may have moved the check.
  async function find(id, hint) {
    if (hint !== null) {
      const row = await rowAt(Number(hint));
      if (row && (row.id === id || id === null)) return row;
    }
    for (let index = 0; index < summary.total; index++) {
      const row = await rowAt(index);
      if (row && row.id === id) return row;
    }
    return null;
  }

  // ---------------------------------------------------------------- what is known

  function fact(name, content) {
    return content ? [h("dt", {}, name), h("dd", {}, content)] : [];
  }

  function replayed(detail) {
    if (detail.kind === "c") return detail.replayed ? "confirmed by a native run" : "";
    return detail.replayed ? "confirmed in onnxruntime" : "";
  }

  function showInfo(detail, more) {
    const verdict = verdictOf(check);
    document.title = `${check.message} · vouch`;
    at("badge").replaceWith(Object.assign(badge(verdict), { id: "badge" }));
    at("category-name").textContent = check.category;
    at("message").textContent = check.message;
    const file = summary.files[check.file];
    const spot = `${brief(file.name)}${detail.kind === "c" ? `:${check.line}${check.column ? `:${check.column}` : ""}` : ""}`;
    fill(at("place"), file.lines ? h("a", { href: vouch.sourceLink(check.file, check.line) }, spot) : spot,
      check.function && detail.kind === "c" ? h("span", { class: "soft" }, ` in ${check.function}`) : null);
    at("why").textContent = detail.why || "";
    fill(at("facts"),
      ...fact("decided by", check.decider), ...fact("evidence", replayed(detail)),
      ...fact("bound", detail.bound !== undefined ? String(detail.bound) : ""),
      ...fact("safe if", detail.precondition && h("code", {}, detail.precondition)),
      ...fact("suppressed", detail.suppressed), ...fact("baseline", detail.baseline && "known from an earlier run"),
      ...fact("time", detail.seconds ? vouch.seconds(detail.seconds) : ""), ...fact("id", h("code", {}, check.id)));
    const inputs = (detail.inputs || []).length && check.kind !== "network" ? block("Inputs", h("table", { class: "values" }, h("tbody", {},
      ...detail.inputs.slice(0, 60).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))))) : null;
    const assumptions = (detail.assumptions || []).length ? block("Assumptions", h("ul", { class: "plain-list" }, ...detail.assumptions.map((text) => h("li", {}, text)))) : null;
    fill(at("more-facts"), detail.kind === "c" ? inputs : null, assumptions, more && more.replay ? replayBlock(more.replay) : null);
  }

  const block = (title, ...content) => h("section", {}, h("h2", {}, title), ...content);

  function replayBlock(replay) {
    const copied = h("span", { class: "soft", role: "status" });
    const copy = (text) => async () => {
      try {
        await navigator.clipboard.writeText(text);
        copied.textContent = " copied";
      } catch {
        copied.textContent = " select the text and copy it";
      }
    };
    const wide = window.matchMedia("(min-width: 46rem)").matches;
    return h("details", { class: "replay", open: wide }, h("summary", {}, h("h2", {}, "Replay")),
      h("p", {}, "Save the driver as ", h("code", {}, replay.file || "replay.c"), " beside the sources and run:"),
      h("pre", { class: "command", id: "command" }, replay.command),
      h("p", { class: "buttons" },
        h("button", { type: "button", onclick: copy(replay.command) }, "Copy the command"),
        h("button", { type: "button", onclick: copy(replay.driver) }, "Copy the driver"), copied),
      h("details", {}, h("summary", {}, replay.file || "replay.c"), h("pre", { class: "driver", id: "driver" }, replay.driver)),
      (replay.limits || []).length ? h("p", { class: "soft" }, `Not reproduced: ${replay.limits.join("; ")}`) : null,
      replay.gpu ? h("p", { class: "soft" }, replay.gpu) : null);
  }

  // ---------------------------------------------------------------- the trace

  // Values after each step. Variables of a call are gone when a step outside it follows.
  function replayStates(steps) {
    const calls = [];
    let values = new Map();
    return steps.map((now) => {
      const changed = new Map();
      const kept = new Map([...values].filter(([, v]) => v.frame === null || v.frame <= now.depth));
      for (const change of now.changes) {
        const key = `${change.frame}\0${change.name}`;
        const before = kept.get(key);
        kept.set(key, change);
        changed.set(key, before && before.value !== change.value ? before.value : before ? null : undefined);
      }
      values = kept;
      while (calls.length > now.depth + 1) calls.pop();
      calls[now.depth] = { function: now.function, file: now.file, line: now.line };
      for (let i = 0; i < now.depth; i++) if (!calls[i]) calls[i] = { function: "…", file: now.file, line: 0 };
      return { values, changed, calls: calls.map((call) => ({ ...call })) };
    });
  }

  function showStep(focus = false) {
    const now = trace[step];
    const state = states[step];
    at("slider").value = String(step);
    at("counter").textContent = `${step + 1} / ${trace.length}`;
    fill(at("now"), h("span", { class: `kind k-${now.kind}` }, now.kind), h("code", {}, now.what));
    fill(at("stack"), ...[...state.calls].reverse().map((call, i) => h("li", { class: i ? "" : "active", "aria-current": i ? null : "true" },
      h("code", {}, call.function), h("span", { class: "soft" }, call.line ? ` ${brief(summary.files[call.file].name)}:${call.line}` : ""))));
    showVariables(state);
    showChange();
    for (const item of at("steps").children) {
      const own = Number(item.dataset.step) === step;
      item.classList.toggle("active", own);
      item.firstChild.setAttribute("aria-current", own ? "step" : "false");
      if (own) reveal(item);
    }
    const ends = { "to-start": step === 0, back: step === 0, "back-out": backOut() < 0, forward: step === trace.length - 1, "to-end": step === trace.length - 1, over: over() < 0, out: out() < 0, into: into() < 0 };
    for (const [id, off] of Object.entries(ends)) at(id).setAttribute("aria-disabled", String(off));
    vouch.replace({ id: check.id, i: check.index, step: step + 1 });
    showCode(now.file, now.line);
    if (focus) at("forward").focus();
  }

  // Only the list of steps moves, never the page.
  function reveal(item) {
    const box = at("steps");
    const top = item.offsetTop;
    if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }

  function showVariables(state) {
    const groups = new Map();
    for (const [key, variable] of state.values) {
      if (!groups.has(variable.frame)) groups.set(variable.frame, []);
      groups.get(variable.frame).push([key, variable]);
    }
    const frames = [...groups.keys()].sort((a, b) => (a === null ? 1 : b === null ? -1 : b - a));
    fill(at("variables"), ...frames.map((frame) => {
      const title = frame === null ? "Memory and globals" : state.calls[frame] ? state.calls[frame].function : "call";
      return h("table", { class: "values", "data-frame": String(frame) }, h("caption", {}, title), h("tbody", {}, ...groups.get(frame).map(([key, variable]) => {
        const fresh = state.changed.has(key);
        const before = state.changed.get(key);
        return h("tr", { class: fresh ? "changed" : "" },
          h("th", { scope: "row", title: variable.type || null }, fresh ? h("span", { class: "dot", title: "changed in this step" }, "●") : null, variable.name),
          h("td", {}, before ? h("del", {}, before) : null, h("span", { class: "value" }, variable.value)));
      })));
    }), frames.length ? null : h("p", { class: "soft" }, "none yet"));
  }

  // What a step changed is in view.
  function showChange() {
    const box = document.querySelector(".state");
    const row = box.querySelector(".changed");
    if (!row) return;
    const place = row.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) box.scrollTop += place.top - frame.top - frame.height / 3;
  }

  function showCode(file, line) {
    if (!code || code.file !== file) {
      if (code) code.close();
      at("code-file").textContent = summary.files[file].name;
      code = new CodeView(at("code"), summary, file);
    }
    const classes = new Map();
    trace.forEach((one, i) => { if (one.file === file && i !== step) classes.set(one.line, i < step ? "visited" : "ahead"); });
    if (check.file === file) classes.set(check.line, `${classes.get(check.line) || ""} target v-${verdictOf(check)}`);
    if (line) classes.set(line, `${classes.get(line) || ""} now`);
    code.lineClass = classes;
    code.show(line || 1);
  }

  function listSteps() {
    fill(at("steps"), ...trace.map((one, i) => {
      const button = h("button", { type: "button", onclick: () => go(i) },
        h("span", { class: "where" }, String(one.line)), h("span", { class: `kind k-${one.kind}` }, one.kind), h("code", {}, one.what));
      const item = h("li", { "data-step": i }, button);
      item.style.setProperty("--depth", String(Math.min(one.depth, 12)));
      return item;
    }));
  }

  // ---------------------------------------------------------------- moving

  const search = (start, by, wanted) => {
    for (let i = start; i >= 0 && i < trace.length; i += by) if (wanted(trace[i])) return i;
    return -1;
  };
  const depth = () => trace[step].depth;
  const over = () => search(step + 1, 1, (one) => one.depth <= depth());
  const backOver = () => search(step - 1, -1, (one) => one.depth <= depth());
  const out = () => search(step + 1, 1, (one) => one.depth < depth());
  const backOut = () => search(step - 1, -1, (one) => one.depth < depth());
  const into = () => search(step + 1, 1, (one) => one.depth > depth());
  const backInto = () => search(step - 1, -1, (one) => one.depth > depth());

  function go(to) {
    if (!trace.length || to < 0 || to >= trace.length) return;
    step = to;
    showStep();
  }

  function bindSteps() {
    const moves = {
      "to-start": [["Home"], () => go(0)],
      back: [["ArrowLeft", "h"], () => go(step - 1)],
      forward: [["ArrowRight", "l"], () => go(step + 1)],
      "to-end": [["End"], () => go(trace.length - 1)],
      over: [["o"], () => go(over())],
      into: [["i"], () => go(into())],
      out: [["u"], () => go(out())],
      "back-out": [["U"], () => go(backOut())],
    };
    for (const [id, [names, action]] of Object.entries(moves)) {
      at(id).addEventListener("click", action);
      vouch.bind(names, () => trace.length && action());
    }
    vouch.bind(["O"], () => trace.length && go(backOver()));
    vouch.bind(["I"], () => trace.length && go(backInto()));
    at("slider").addEventListener("input", () => go(Number(at("slider").value)));
    vouch.bind(["n"], () => other(1));
    vouch.bind(["p"], () => other(-1));
  }

  async function other(by) {
    const row = check && await rowAt(check.index + by);
    if (row) location.hash = vouch.checkLink(row.id, row.index).split("#")[1];
  }

  // ---------------------------------------------------------------- the page

  async function show() {
    const hash = vouch.read();
    const id = hash.get("id");
    if (check && check.id === id) {
      const wanted = Number(hash.get("step") || step + 1) - 1;
      if (wanted !== step) go(wanted);
      return;
    }
    check = await find(id, hash.get("i"));
    at("layout").hidden = !check;
    at("problem").hidden = Boolean(check);
    if (!check) {
      at("problem").textContent = `This report has no check ${id}.`;
      return;
    }
    const size = summary.chunks.detail;
    const details = await vouch.get(`detail-${Math.floor(check.index / size)}`);
    const detail = details ? details[check.index % size] : {};
    const more = detail.more ? await vouch.get(`more-${check.index}`) : null;
    trace = more ? more.trace : [];
    states = replayStates(trace);
    showInfo(detail, more);
    at("trace-pane").hidden = !trace.length;
    at("network").hidden = detail.kind === "c";
    at("code-pane").hidden = detail.kind !== "c";
    at("layout").classList.toggle("no-trace", !trace.length);
    at("layout").classList.toggle("of-network", detail.kind !== "c");
    if (detail.kind !== "c") showNetwork(at("network"), more ? more.network : {}, verdictOf(check));
    else if (trace.length) {
      at("slider").max = String(trace.length - 1);
      listSteps();
      const wanted = Number(hash.get("step") || trace.length) - 1;
      step = Math.max(0, Math.min(trace.length - 1, wanted || 0));
      showStep();
      code.show(trace[step].line, true);
    } else {
      showCode(check.file, check.line);
      code.show(check.line, true);
    }
  }

  async function start() {
    summary = await vouch.get("summary");
    bindSteps();
    addEventListener("hashchange", show);
    await show();
  }

  start();
})();
