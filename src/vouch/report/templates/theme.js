"use strict";

// Light, dark, or as the system: known before the first paint, remembered where the browser allows it.
const theme = (() => {
  const names = ["auto", "light", "dark"];

  function remembered() {
    try {
      const name = localStorage.getItem("vouch-theme");
      return names.includes(name) ? name : "auto";
    } catch {
      return "auto";
    }
  }

  let current = remembered();

  function apply() {
    if (current === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = current;
    const label = document.getElementById("theme-name");
    if (label) label.textContent = current;
  }

  function next() {
    current = names[(names.indexOf(current) + 1) % names.length];
    try {
      localStorage.setItem("vouch-theme", current);
    } catch {
      // A browser that remembers nothing still shows the choice on this page.
    }
    apply();
  }

  apply();
  return { apply, next };
})();
