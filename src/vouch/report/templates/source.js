"use strict";

// A source file with a mark at each check.
(() => {
  const { h, at, fill, badge } = vouch;
  let summary = null;
  let view = null;
  let file = 0;

  async function checksOf(line) {
    const part = await vouch.get(`source-${file}-${Math.floor((line - 1) / summary.chunks.lines)}`);
    return part ? part.marks[line] || [] : [];
  }

  async function choose(line) {
    const checks = line ? await checksOf(line) : [];
    at("line-title").textContent = line ? `Line ${line}` : "Checks";
    at("hint").hidden = checks.length > 0;
    fill(at("line-checks"), ...checks.map(([index, verdict, , message, id]) => h("li", {},
      badge(summary.verdicts[verdict]), " ", h("a", { href: vouch.checkLink(id, index) }, message))));
    view.mark(new Map(line ? [[line, "now"]] : []));
  }

  // The next line whose worst verdict is not a proof; parts are loaded on the way.
  async function seek(by) {
    const good = new Set(["safe", "equivalent"].map((name) => summary.verdicts.indexOf(name)));
    let line = Number(vouch.read().get("line") || 0) + by;
    for (; line > 0 && line <= view.count; line += by) {
      if ((await checksOf(line)).some((check) => !good.has(check[1]))) break;
    }
    if (line > 0 && line <= view.count) location.hash = vouch.sourceLink(file, line).split("#")[1];
  }

  async function show() {
    const hash = vouch.read();
    const wanted = Math.max(0, Math.min(summary.files.length - 1, Number(hash.get("file")) || 0));
    if (!view || wanted !== file) {
      file = wanted;
      if (view) view.close();
      at("code-file").textContent = summary.files[file].name;
      document.title = `${summary.files[file].name} · vouch`;
      view = new CodeView(at("code"), summary, file);
      view.onMark = (event, line, marks) => {
        if (marks.length > 1) {
          event.preventDefault();
          location.hash = vouch.sourceLink(file, line).split("#")[1];
        }
      };
    }
    const line = Number(hash.get("line")) || 0;
    if (line) view.show(line);
    await choose(line);
  }

  async function start() {
    summary = await vouch.get("summary");
    vouch.bind(["n"], () => seek(1));
    vouch.bind(["p"], () => seek(-1));
    addEventListener("hashchange", show);
    await show();
  }

  start();
})();
