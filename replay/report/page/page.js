"use strict";
const runs = [...document.querySelectorAll(".run")];
const form = document.getElementById("filter");
const shown = document.getElementById("shown");

// A run stays if it matches and one of its judgements does.
function filter() {
  const { cls, adapter, engine, fault, text } = form.elements;
  let n = 0, judged = 0;
  for (const run of runs) {
    const fits = (!engine.value || run.dataset.engine === engine.value) &&
      (!fault.value || run.dataset.faults.split(" ").includes(fault.value)) &&
      run.dataset.run.toLowerCase().includes(text.value.toLowerCase());
    let some = 0;
    for (const j of run.querySelectorAll(".j")) {
      const is = (!cls.value || j.dataset.cls === cls.value) && (!adapter.value || j.dataset.adapter === adapter.value);
      j.hidden = !is;
      some += is;
    }
    run.hidden = !fits || some === 0;
    if (!run.hidden) { n++; judged += some; }
  }
  shown.textContent = `${n} of ${runs.length} runs, ${judged} judgements`;
}

// Whoever follows a link to a run wants to see it.
function follow() {
  const run = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!run || !run.classList.contains("run")) return;
  if (run.hidden) form.reset();
  filter();
  run.open = true;
  run.scrollIntoView();
}

form.addEventListener("input", filter);
form.addEventListener("reset", () => setTimeout(filter));
form.addEventListener("submit", e => e.preventDefault());
document.addEventListener("click", e => {
  const b = e.target.closest("button[data-cls]");
  if (!b) return;
  form.elements.cls.value = b.dataset.cls;
  form.elements.adapter.value = b.dataset.adapter;
  filter();
  form.scrollIntoView();
});
addEventListener("hashchange", follow);
filter();
follow();
