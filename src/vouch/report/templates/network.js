"use strict";

// The answer about a network, or about two: points as numbers and pictures, outputs as bars, bounds over time.
const showNetwork = (() => {
  const { h, fill } = vouch;
  const SMALLEST = 16; // numbers of an input that are worth a picture

  const short = (value) => (value === null || value === undefined ? "?" : Number(value.toPrecision(6)).toString());

  const section = (title, ...content) => h("section", { class: "card" }, h("h2", {}, title), ...content);

  // ---------------------------------------------------------------- pictures

  // Height, width and channels of an input that is shaped like a picture; null for others.
  function shape(question, count) {
    const sizes = (question.input_shape || [count]).filter((n) => n > 1);
    if (count < SMALLEST) return null;
    if (sizes.length === 2) return { rows: sizes[0], columns: sizes[1], channels: 1, first: false };
    if (sizes.length === 3 && sizes[0] === 3) return { rows: sizes[1], columns: sizes[2], channels: 3, first: true };
    if (sizes.length === 3 && sizes[2] === 3) return { rows: sizes[0], columns: sizes[1], channels: 3, first: false };
    const side = Math.sqrt(count);
    return sizes.length === 1 && Number.isInteger(side) ? { rows: side, columns: side, channels: 1, first: false } : null;
  }

  function pixel(form, values, row, column, channel) {
    const plane = form.rows * form.columns;
    const place = row * form.columns + column;
    return form.first ? values[channel * plane + place] : values[place * form.channels + channel];
  }

  // `colour` turns the numbers of one pixel into [r, g, b].
  function picture(form, values, title, colour) {
    const scale = Math.max(1, Math.floor(168 / Math.max(form.rows, form.columns)));
    const canvas = h("canvas", { width: form.columns * scale, height: form.rows * scale, role: "img", "aria-label": title });
    const pen = canvas.getContext("2d");
    for (let row = 0; row < form.rows; row++) {
      for (let column = 0; column < form.columns; column++) {
        const numbers = [];
        for (let channel = 0; channel < form.channels; channel++) numbers.push(pixel(form, values, row, column, channel));
        const [r, g, b] = colour(numbers);
        pen.fillStyle = `rgb(${r},${g},${b})`;
        pen.fillRect(column * scale, row * scale, scale, scale);
      }
    }
    return h("figure", {}, canvas, h("figcaption", {}, title));
  }

  function pictures(form, original, found) {
    const all = original ? [...original, ...found] : found;
    const low = Math.min(...all);
    const span = Math.max(...all) - low || 1;
    const grey = (value) => Math.round(255 * (value - low) / span);
    const plain = (numbers) => (numbers.length === 3 ? numbers.map(grey) : Array(3).fill(grey(numbers[0])));
    const shown = [];
    if (original) shown.push(picture(form, original, "original", plain));
    shown.push(picture(form, found, "counterexample", plain));
    if (original) {
      const difference = found.map((value, i) => value - original[i]);
      const most = Math.max(...difference.map(Math.abs)) || 1;
      // More is red, less is blue, nothing is white.
      const signed = (numbers) => {
        const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length / most;
        const pale = Math.round(255 * (1 - Math.min(1, Math.abs(mean))));
        return mean >= 0 ? [255, pale, pale] : [pale, pale, 255];
      };
      shown.push(picture(form, difference, `difference, at most ${short(most)}`, signed));
    }
    return h("div", { class: "pictures" }, ...shown);
  }

  // ---------------------------------------------------------------- numbers

  function numbers(columns) {
    const count = Math.max(...columns.map(([, values]) => values.length));
    const rows = [];
    for (let i = 0; i < Math.min(count, 200); i++) {
      rows.push(h("tr", {}, h("th", { scope: "row" }, String(i)), ...columns.map(([, values]) => h("td", {}, short(values[i])))));
    }
    return h("div", { class: "sideways tall" }, h("table", { class: "plain-table numbers" },
      h("thead", {}, h("tr", {}, h("td", {}), ...columns.map(([name]) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows)),
      count > 200 ? h("p", { class: "soft" }, `and ${count - 200} more`) : null);
  }

  // Values as bars from zero, bounds as whiskers behind them. Series: [name, values, class].
  function bars(series, bounds) {
    const finite = [...series.flatMap(([, values]) => values), ...(bounds || []).flat()].filter((v) => v !== null && Number.isFinite(v));
    const low = Math.min(0, ...finite);
    const span = (Math.max(0, ...finite) - low) || 1;
    const spot = (value) => 100 * (value - low) / span;
    const count = Math.max(...series.map(([, values]) => values.length), (bounds || []).length);
    const best = series.map(([, values]) => values.indexOf(Math.max(...values)));
    const rows = [];
    for (let i = 0; i < Math.min(count, 100); i++) {
      const tracks = series.map(([name, values, kind], s) => {
        const from = Math.min(spot(0), spot(values[i]));
        const bar = h("span", { class: `bar-value ${kind}${best[s] === i ? " best" : ""}`, title: `${name}: ${short(values[i])}` });
        bar.style.left = `${from}%`;
        bar.style.width = `${Math.abs(spot(values[i]) - spot(0))}%`;
        return h("div", { class: "track" }, bar);
      });
      if (bounds && bounds[i]) {
        const [a, b] = bounds[i];
        const range = h("span", { class: "bar-range", title: `proved: ${short(a)} to ${short(b)}` });
        range.style.left = `${spot(a === null ? low : a)}%`;
        range.style.width = `${spot(b === null ? low + span : b) - spot(a === null ? low : a)}%`;
        tracks.push(h("div", { class: "track" }, range));
      }
      rows.push(h("tr", {}, h("th", { scope: "row" }, String(i)), h("td", { class: "wide" }, ...tracks),
        h("td", { class: "number" }, ...series.map(([, values], s) => h("div", { class: best[s] === i ? "best" : "" }, short(values[i]))),
          bounds && bounds[i] ? h("div", { class: "soft" }, `${short(bounds[i][0])} … ${short(bounds[i][1])}`) : null)));
    }
    const keys = series.length > 1 || bounds ? h("p", { class: "soft keys" }, ...series.map(([name, , kind]) => h("span", { class: `swatch ${kind}` }, name)),
      bounds ? h("span", { class: "swatch range" }, "proved range") : null) : null;
    return h("div", {}, keys, h("table", { class: "bars outputs" }, h("tbody", {}, ...rows)));
  }

  // ---------------------------------------------------------------- over time

  function overTime(history) {
    const width = 460;
    const height = 150;
    const name = "http://www.w3.org/2000/svg";
    const make = (tag, properties) => {
      const element = document.createElementNS(name, tag);
      for (const [key, value] of Object.entries(properties)) element.setAttribute(key, String(value));
      return element;
    };
    const last = Math.max(...history.map(([time]) => time), 1e-6);
    const x = (time) => 34 + (width - 44) * time / last;
    const y = (share) => 10 + (height - 34) * (1 - share);
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Share that is proved, over time", class: "chart" });
    for (const share of [0, 0.5, 1]) {
      svg.append(make("line", { x1: x(0), x2: x(last), y1: y(share), y2: y(share), class: "rule" }));
      const label = make("text", { x: 30, y: y(share) + 4, "text-anchor": "end" });
      label.textContent = `${100 * share} %`;
      svg.append(label);
    }
    const end = make("text", { x: x(last), y: height - 6, "text-anchor": "end" });
    end.textContent = vouch.seconds(last);
    const path = history.map(([time, share], i) => `${i ? "L" : "M"}${x(time).toFixed(1)},${y(share).toFixed(1)}`).join("");
    svg.append(end, make("path", { d: path, class: "curve" }));
    return svg;
  }

  // ---------------------------------------------------------------- the page

  function question(data) {
    const asked = data.question || {};
    const rows = [];
    for (const [key, name] of [["network", "network"], ["reference", "reference"], ["test", "test"], ["property", "property"], ["text", "question"]]) {
      if (asked[key]) rows.push([name, asked[key]]);
    }
    if (data.property && !asked.property) rows.push(["property", data.property]);
    if (data.region) rows.push(["region", data.region]);
    if (asked.radius !== undefined && asked.radius !== null) rows.push(["radius", `${short(asked.radius)} (${asked.norm})`]);
    if (asked.label !== undefined && asked.label !== null) rows.push(["class", String(asked.label)]);
    if (data.arithmetic) rows.push(["arithmetic", data.arithmetic]);
    if (data.bound !== undefined && data.bound !== null) rows.push([data.property ? "proved maximal difference" : "proved margin", short(data.bound)]);
    if (data.progress !== undefined && data.progress !== null) rows.push(["proved so far", vouch.percent(data.progress, 1)]);
    if (data.proved !== undefined) rows.push(["proved up to radius", short(data.proved)]);
    if (data.refuted !== undefined) rows.push(["refuted from radius", short(data.refuted)]);
    return rows.length ? section("Question", h("dl", { class: "pairs" }, ...rows.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)]))) : null;
  }

  function point(data) {
    const found = data.counterexample;
    if (!found || !found.input) return null;
    const asked = data.question || {};
    const original = asked.original && asked.original.length === found.input.length ? asked.original : null;
    const form = shape(asked, found.input.length);
    const columns = original
      ? [["original", original], ["counterexample", found.input], ["difference", found.input.map((v, i) => v - original[i])]]
      : [["counterexample", found.input]];
    return section("Counterexample", form && form.rows * form.columns * form.channels === found.input.length ? pictures(form, original, found.input) : null,
      form ? h("details", {}, h("summary", {}, "as numbers"), numbers(columns)) : numbers(columns));
  }

  function outputs(data) {
    const found = data.counterexample || {};
    if (found.reference && found.test) {
      return section("Outputs side by side", bars([["reference", found.reference, "one"], ["test", found.test, "two"]], null));
    }
    if (!found.output && !data.output_bounds) return null;
    const series = [];
    const asked = data.question || {};
    if (asked.original_output) series.push(["at the original", asked.original_output, "two"]);
    if (found.output) series.push(["counterexample", found.output, "one"]);
    return section("Outputs", bars(series, data.output_bounds || null));
  }

  return (container, data, verdict) => {
    const statistics = Object.entries(data.statistics || {});
    fill(container, question(data), point(data), outputs(data),
      (data.history || []).length > 1 ? section("Proved over time", overTime(data.history)) : null,
      statistics.length ? section("Statistics", h("dl", { class: "pairs" }, ...statistics.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, short(value))]))) : null);
    container.dataset.verdict = verdict;
  };
})();
