"use strict";

// A source file that shows only the lines in view, and loads its parts when they come into view.
class CodeView {
  constructor(container, summary, file) {
    this.container = container;
    this.summary = summary;
    this.file = file;
    this.size = summary.chunks.lines;
    this.count = summary.files[file].lines;
    this.parts = new Map();
    this.lineClass = new Map();
    this.onMark = null;
    this.sheet = vouch.h("div", { class: "sheet" });
    vouch.fill(container, this.sheet);
    if (!this.count) {
      vouch.fill(container, vouch.h("p", { class: "soft empty" }, "The source is not part of this report (vouch report --sources DIR says where sources are)."));
      return;
    }
    this.height = this.measure();
    this.sheet.style.height = `${this.count * this.height}px`;
    this.sheet.style.minWidth = `${summary.files[file].widest + 9}ch`;
    this.onScroll = () => this.draw();
    container.addEventListener("scroll", this.onScroll, { passive: true });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(container);
    this.draw();
  }

  close() {
    if (this.observer) this.observer.disconnect();
    if (this.onScroll) this.container.removeEventListener("scroll", this.onScroll);
  }

  measure() {
    const probe = vouch.h("div", { class: "line" }, "0");
    this.sheet.append(probe);
    const height = probe.getBoundingClientRect().height;
    probe.remove();
    return height || 20;
  }

  // Lines get classes: "now", "visited", "target".
  mark(classes) {
    this.lineClass = classes;
    this.draw(true);
  }

  show(line, always = false) {
    if (!this.count) return;
    const top = (line - 1) * this.height;
    const { scrollTop, clientHeight } = this.container;
    const margin = Math.min(4 * this.height, clientHeight / 4);
    if (always || top < scrollTop + margin || top + this.height > scrollTop + clientHeight - margin) {
      this.container.scrollTop = Math.max(0, top - clientHeight / 2.5);
    }
    this.draw(true);
  }

  async part(number) {
    if (this.parts.has(number)) return;
    this.parts.set(number, null);
    const value = await vouch.get(`source-${this.file}-${number}`);
    this.parts.set(number, value || { lines: [], marks: {} });
    this.draw(true);
  }

  draw(again = false) {
    if (!this.count) return;
    const { scrollTop, clientHeight } = this.container;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - 20);
    const last = Math.min(this.count, Math.ceil((scrollTop + clientHeight) / this.height) + 20);
    if (!again && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let number = first + 1; number <= last; number++) rows.push(this.line(number));
    vouch.fill(this.sheet, ...rows);
  }

  line(number) {
    const place = Math.floor((number - 1) / this.size);
    const part = this.parts.get(place);
    if (part === undefined) this.part(place);
    const runs = part ? part.lines[number - 1 - place * this.size] || [] : [];
    const extra = this.lineClass.get(number) || "";
    const marks = part ? part.marks[number] : null;
    const text = runs.map(([kind, words]) => (kind ? vouch.h("span", { class: `hl-${kind}` }, words) : words));
    const row = vouch.h("div", { class: `line ${extra}`, "data-line": number },
      marks ? this.badge(number, marks) : vouch.h("span", { class: "mark" }),
      vouch.h("span", { class: "number" }, String(number)),
      vouch.h("code", {}, ...text));
    row.style.top = `${(number - 1) * this.height}px`;
    if (extra.includes("now")) row.setAttribute("aria-current", "step");
    return row;
  }

  // The worst verdict of a line: verdicts are numbered from the worst.
  badge(number, marks) {
    const worst = Math.min(...marks.map((mark) => mark[1]));
    const verdict = this.summary.verdicts[worst];
    const words = marks.length === 1 ? `${verdict}: ${marks[0][3]}` : `${marks.length} checks, the worst is ${verdict}`;
    const link = marks.length === 1 ? vouch.checkLink(marks[0][4], marks[0][0]) : vouch.sourceLink(this.file, number);
    const mark = vouch.h("a", { class: `mark v-${verdict}`, href: link, title: words, "aria-label": `Line ${number}: ${words}` });
    if (this.onMark) mark.addEventListener("click", (event) => this.onMark(event, number, marks));
    return mark;
  }
}
