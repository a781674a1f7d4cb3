// Makes pages better, and is never needed: a search is sent while it is typed, and one box marks all.
"use strict";

for (const form of document.querySelectorAll("form[data-live]")) {
  let waiting = 0;
  let latest = 0;

  const place = () => document.getElementById(form.dataset.live);

  // Results of another search must not pass for those of this one.
  const tell = (text) => {
    const said = document.createElement("p");
    said.className = "trouble";
    said.setAttribute("role", "alert");
    said.textContent = text;
    place()?.replaceChildren(said);
  };

  const search = async (asked) => {
    const fields = new URLSearchParams(new FormData(form));
    const shown = `${form.action}?${fields}`;
    fields.set("piece", "1");
    const answer = await fetch(`${form.action}?${fields}`, { credentials: "same-origin", redirect: "manual" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // A slow answer must not replace that of a later search.
    if (asked !== latest) return;
    const found = page.getElementById(form.dataset.live);
    if (answer.ok && found) {
      place()?.replaceWith(document.adoptNode(found));
      history.replaceState(null, "", shown);
    } else if (answer.type === "opaqueredirect") {
      // The session is over, and the page itself leads to signing in.
      location.assign(shown);
    } else {
      tell(page.querySelector(".trouble")?.textContent ?? `The search failed with status ${answer.status}.`);
    }
  };

  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const asked = ++latest;
      search(asked).catch(() => asked === latest && tell("The server does not answer, so nothing was searched."));
    }, 300);
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
