# ruff: noqa: E501
"""What the tests ask the browser, in its language."""

from __future__ import annotations

# When a page has all that it shows.
READY = {
    "index.html": "return document.querySelector('#headline').textContent && !document.querySelector('#shown').textContent.includes('loading')",
    "check.html": "return document.querySelector('#facts').children.length > 0 || !document.querySelector('#problem').hidden",
    "source.html": "return document.querySelectorAll('.line code').length > 0",
}

# What the trace pane shows at this step, in one question to the browser.
SHOWN = """
return {
  now: document.querySelector('#now code').textContent,
  counter: document.querySelector('#counter').textContent,
  line: Number(document.querySelector('.line.now').dataset.line),
  stack: [...document.querySelectorAll('#stack code')].map(e => e.textContent),
  values: [...document.querySelectorAll('#variables table')].flatMap(t => [...t.querySelectorAll('tr')].map(r => [
    t.dataset.frame, [...r.querySelector('th').childNodes].at(-1).textContent, r.querySelector('.value').textContent,
    r.classList.contains('changed')])),
}
"""

# Contrast of all text with what lies behind it, as the guidelines for accessibility compute it. A canvas turns
# colours of any notation into numbers.
CONTRASTS = """
const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
const channels = (layers) => {
  pen.clearRect(0, 0, 1, 1);
  for (const layer of layers) { pen.fillStyle = layer; pen.fillRect(0, 0, 1, 1); }
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (rgb) => rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const found = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || !element.checkVisibility({opacityProperty: true}) || element.closest('[aria-disabled=true], .skip, .number, .soft.empty')) continue;
  const behind = [];
  for (let e = element; e; e = e.parentElement) behind.unshift(getComputedStyle(e).backgroundColor);
  const [a, b] = [light(channels(behind)), light(channels([...behind, getComputedStyle(element).color]))];
  found.push((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
}
return found;
"""

# Controls and pictures without a name.
UNNAMED = """
    return [...document.querySelectorAll('button, a[href], input, select, canvas, [role=img], [tabindex="0"]')]
      .filter(e => e.checkVisibility()).filter(e => !(e.ariaLabel || e.textContent.trim() || e.title || e.placeholder
        || e.labels && e.labels.length)).map(e => e.outerHTML)
    """

# Ways to run what is not ours; how many were refused, and whether one came through.
ATTEMPTS = """
    window.hit = 0;
    const refused = [];
    const tries = [
      () => { document.querySelector('#headline').innerHTML = '<img src=x onerror="window.hit=1">'; },
      () => { const s = document.createElement('script'); s.textContent = 'window.hit=1'; document.head.append(s); },
      () => { const s = document.createElement('script'); s.src = 'https://example.com/x.js'; document.head.append(s); },
      () => { (0, eval)('window.hit=1'); },
    ];
    // Not in the task of the driver, whose scripts may evaluate text.
    return new Promise((resolve) => setTimeout(() => {
      for (const attempt of tries) { try { attempt(); refused.push(false); } catch { refused.push(true); } }
      setTimeout(() => resolve([window.hit, refused.filter(Boolean).length]), 50);
    }));
    """

# The button to go on is in reach of a thumb.
REACHABLE = "const r = document.querySelector('#forward').getBoundingClientRect(); return r.bottom <= innerHeight && r.height >= 36"

# The longest task of a page, in milliseconds.
PAUSES = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) window.longest = Math.max(window.longest, e.duration);
}).observe({type: 'longtask', buffered: true});
"""
