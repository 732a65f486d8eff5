"use strict";
// Choosing, log or linear, and what a mark says: nothing here computes a number that is not drawn already.
(() => {
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const one = (id) => document.getElementById(id);
  for (const form of all("form.controls")) {
    form.hidden = false;
    form.addEventListener("submit", (e) => e.preventDefault());
  }

  const place = (group, linear) => {
    const low = +group.dataset.low, high = +group.dataset.high;
    return linear ? (v) => 100 * v / high : (v) => v > 0 ? 100 * Math.log(v / low) / Math.log(high / low) : -5;
  };
  const draw = (group) => {
    const at = place(group, one("linear").checked);
    const put = (element, name, value) => element.setAttribute(name, at(+value).toFixed(2) + "%");
    for (const e of all("[data-v]", group)) {
      if (e.tagName === "svg") put(e, "x", e.dataset.v);
      else { put(e, "x1", e.dataset.v); put(e, "x2", e.dataset.w || e.dataset.v); }
    }
    const wanted = one("variants").value.trim().toLowerCase();
    for (const row of all(".pair[data-name]", group)) row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
  };

  const device = one("device"), choice = one("group");
  if (choice) {
    const groups = all(".group");
    const shown = () => groups.forEach((g) => { g.hidden = g.dataset.group !== choice.value; if (!g.hidden) draw(g); });
    const ofDevice = () => {
      for (const o of choice.options) o.hidden = o.disabled = o.dataset.device !== device.value;
      if (choice.selectedOptions[0].disabled) choice.value = [...choice.options].find((o) => !o.disabled).value;
      shown();
    };
    device.addEventListener("change", ofDevice);
    choice.addEventListener("change", shown);
    one("variants").addEventListener("input", shown);
    one("linear").addEventListener("change", shown);
    ofDevice();
  }
  const cascade = one("cascade");
  if (cascade)
    cascade.addEventListener("change", () => all(".cascade").forEach((c) => { c.hidden = c.dataset.cascade !== cascade.value; }));

  // What is wider than the page can be scrolled with the keyboard, and says so.
  const fits = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      const wider = target.scrollWidth > target.clientWidth + 1;
      if (wider) { target.tabIndex = 0; target.setAttribute("role", "group"); target.setAttribute("aria-label", "wide table: scroll sideways"); }
      else for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
    }
  });
  for (const wide of all(".wide")) fits.observe(wide);

  const tip = one("tip");
  const hide = () => { tip.hidden = true; };
  const show = (mark) => {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 4)) + scrollX + "px";
    tip.style.top = box.bottom + scrollY + 6 + "px";
  };
  for (const mark of all(".mark")) {
    mark.addEventListener("mouseenter", () => show(mark));
    mark.addEventListener("focus", () => show(mark));
    mark.addEventListener("mouseleave", hide);
    mark.addEventListener("blur", hide);
  }
})();
