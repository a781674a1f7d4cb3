// Makes pages better, and is never needed: a search is sent while it is typed, and one box marks all.
"use strict";

for (const form of document.querySelectorAll("form[data-live]")) {
  let waiting = 0;
  let latest = 0;

  const search = async () => {
    const asked = ++latest;
    const fields = new URLSearchParams(new FormData(form));
    const shown = `${form.action}?${fields}`;
    fields.set("piece", "1");
    const answer = await fetch(`${form.action}?${fields}`, { credentials: "same-origin", redirect: "manual" });
    // A slow answer must not replace that of a later search. A refused one changes nothing: the form still works.
    if (asked !== latest || !answer.ok) return;
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = parsed.getElementById(form.dataset.live);
    const place = document.getElementById(form.dataset.live);
    if (!found || !place || asked !== latest) return;
    place.replaceWith(document.adoptNode(found));
    history.replaceState(null, "", shown);
  };

  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search().catch(() => {}), 300);
  });
}

for (const table of document.querySelectorAll("table")) {
  const boxes = table.querySelectorAll("tbody input[type=checkbox]");
  const head = table.querySelector("thead th");
  if (boxes.length < 2 || !head) continue;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.setAttribute("aria-label", "Mark all");
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
  });
  head.replaceChildren(all);
}
