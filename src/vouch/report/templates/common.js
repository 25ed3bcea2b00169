"use strict";

// What all pages share: data that is loaded when needed, elements made from text, the address, keys.
const vouch = (() => {
  const store = new Map();
  const waiting = new Map();

  // Scripts of the data folder, and no others, may be loaded.
  const checked = (address) => {
    if (!/^data\/[a-z]+(-\d+)*\.js(\?\d+)?$/.test(address)) throw new TypeError("not a script of this report");
    return address;
  };
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("vouch", { createScriptURL: checked })
    : { createScriptURL: checked };

  // Called by the scripts of the data folder.
  function load(name, value) {
    store.set(name, value);
  }

  // The value that the script `name` hands over; null where there is no such script.
  function get(name, revision = 0) {
    if (store.has(name) && !revision) return Promise.resolve(store.get(name));
    const key = `${name}?${revision}`;
    if (!waiting.has(key)) {
      waiting.set(key, new Promise((resolve) => {
        const script = document.createElement("script");
        script.src = policy.createScriptURL(`data/${name}.js${revision ? `?${revision}` : ""}`);
        script.onload = () => { script.remove(); resolve(store.get(name)); };
        script.onerror = () => { script.remove(); waiting.delete(key); resolve(null); };
        document.head.append(script);
      }));
    }
    return waiting.get(key);
  }

  // h("a", {href: "…", class: "…"}, "text", element): text is only ever text.
  function h(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  const at = (id) => document.getElementById(id);

  function fill(element, ...children) {
    element.replaceChildren(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  // ---------------------------------------------------------------- the address

  const read = () => new URLSearchParams(location.hash.slice(1));

  function address(page, values) {
    const hash = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value != null));
    return `${page}#${hash}`;
  }

  function replace(values) {
    history.replaceState(null, "", address("", values));
  }

  const checkLink = (id, index) => address("check.html", { id, i: index });
  const sourceLink = (file, line) => address("source.html", { file, line });

  // ---------------------------------------------------------------- words

  const percent = (part, whole) => (whole ? `${(100 * part / whole).toFixed(part && part < whole / 100 ? 1 : 0)} %` : "");
  const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const seconds = (s) => (s >= 100 ? `${Math.round(s)} s` : s >= 1 ? `${s.toFixed(1)} s` : s >= 0.001 ? `${Math.round(1000 * s)} ms` : "0 ms");

  // A bar of one part for each verdict, with the numbers in words for those who do not see it.
  function stack(counts, verdicts, large = false) {
    const total = counts.reduce((a, b) => a + b, 0);
    const parts = [];
    const words = [];
    counts.forEach((count, i) => {
      if (!count) return;
      words.push(`${count} ${verdicts[i]}`);
      parts.push(h("span", { class: `part v-${verdicts[i]}`, title: `${count} ${verdicts[i]}`, style: { "flex-grow": String(count) } }));
    });
    return h("div", { class: large ? "stack large" : "stack", role: "img", "aria-label": `${total}: ${words.join(", ")}` }, ...parts);
  }

  const badge = (verdict) => h("span", { class: `badge v-${verdict}` }, verdict);

  // ---------------------------------------------------------------- keys

  const keys = new Map();
  let prefix = "";

  function onKey(event) {
    const target = event.target;
    const typing = target instanceof HTMLInputElement && target.type !== "range" || target instanceof HTMLSelectElement;
    if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
    if (typing && event.key !== "Escape") return;
    const name = prefix + event.key;
    prefix = event.key === "g" && !prefix ? "g " : "";
    const action = keys.get(name);
    if (!action) return;
    const native = target instanceof HTMLElement && target.matches("a, button, summary, input");
    if (native && event.key === "Enter") return;
    event.preventDefault();
    action(event);
  }

  function bind(names, action) {
    for (const name of names) keys.set(name, action);
  }

  function start() {
    document.addEventListener("keydown", onKey);
    bind(["?"], () => at("help").showModal());
    bind(["d"], theme.next);
    bind(["g o"], () => { location.href = "index.html#view=overview"; });
    bind(["g c"], () => { location.href = "index.html#view=checks"; });
    bind(["g s"], () => { location.href = "index.html#view=sources"; });
    at("theme").addEventListener("click", theme.next);
    at("help-button").addEventListener("click", () => at("help").showModal());
    theme.apply();
  }

  start();
  return { load, get, h, at, fill, read, replace, address, checkLink, sourceLink, percent, counted, seconds, stack, badge, bind };
})();
