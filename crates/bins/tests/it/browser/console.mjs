// The console in a real browser. The test that starts this says where it is, and with which keys; a sentence that does not
// hold ends it with an error.
import { strict as assert } from "node:assert";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const given = JSON.parse(process.env.CONSOLE_TEST);
const require = createRequire(join(given.modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = require("axe-core");

const PAGES = ["Memory", "Waiting", "Graph", "Decisions", "Receipts", "Audit log", "People", "Health"];
const SEEN = {
  admin: PAGES,
  member: PAGES.filter((page) => page !== "People"),
  viewer: PAGES.filter((page) => page !== "People"),
  auditor: ["Decisions", "Receipts", "Audit log", "Health"],
};

const browser = await chromium.launch({
  executablePath: given.chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
});

/** A browser of one person's own. Whatever goes wrong in a page, or leaves this machine, fails the test. */
async function person(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const trouble = [];
  page.on("dialog", (dialog) => { trouble.push(`a script ran: ${dialog.message()}`); dialog.dismiss(); });
  page.on("pageerror", (error) => trouble.push(`${page.url()}: ${error}`));
  page.on("console", (said) => {
    // A page that is refused says so with its status.
    if (said.type() === "error" && !said.text().includes("the server responded with a status of")) {
      trouble.push(`${page.url()}: ${said.text()}`);
    }
  });
  page.on("request", (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== "127.0.0.1") trouble.push(`a request to ${request.url()}`);
  });
  const close = async () => {
    assert.deepEqual(trouble, []);
    await context.close();
  };
  return { page, context, close };
}

async function signIn(page, key) {
  await page.goto(given.console);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}

/** A page of the console that this one belongs to: it is below a path of its own. */
const within = (page, path) => new URL(path, page.url()).href;

async function noViolations(page, what) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const told = violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.map((n) => `  ${n.html}\n  ${n.failureSummary}`).join("\n")}`);
  assert.deepEqual(told, [], `${what} (${page.url()})`);
}

async function open(page, name) {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
  await page.getByRole("navigation", { name: "Pages" }).locator("[aria-current=page]", { hasText: name }).waitFor();
}

async function picture(page, name) {
  if (given.pictures) await page.screenshot({ path: join(given.pictures, `${name}.png`) });
}

const waiting = (page, patient) => page.getByRole("row").filter({ hasText: patient });

// Every page, by everybody.
for (const [role, pages] of Object.entries(SEEN)) {
  const { page, close } = await person();
  await page.goto(given.console);
  await noViolations(page, "signing in");
  await signIn(page, given.keys[role]);
  const offered = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents();
  assert.deepEqual(offered, pages, role);
  for (const name of pages) {
    await open(page, name);
    await noViolations(page, `${name}, by ${role}`);
    const approve = await page.getByRole("button", { name: /^Approve/ }).count();
    assert.equal(approve > 0, name === "Waiting" && (role === "admin" || role === "member"), `${name}, by ${role}`);
  }
  await close();
}

// A stranger gets to sign in, and nowhere else.
{
  const { page, close } = await person();
  for (const path of ["/", "/memory", "/waiting", "/people", "/audit-check", "/nothing"]) {
    await page.goto(given.console + path);
    await page.getByLabel("API key").waitFor();
  }
  await page.getByLabel("API key").fill("svc_sk_guess");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await noViolations(page, "a wrong key");
  await close();
}

// In the dark, and on a small screen.
for (const options of [{ colorScheme: "dark" }, { viewport: { width: 360, height: 640 } }]) {
  const { page, close } = await person(options);
  await signIn(page, given.keys.admin);
  for (const name of PAGES) {
    await open(page, name);
    await noViolations(page, `${name}, ${JSON.stringify(options)}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    assert.equal(wide, false, `${name} is wider than the screen, ${JSON.stringify(options)}`);
  }
  // The picture of a plot is drawn in the colours of the page.
  const dot = await page.locator(".plot circle").first().evaluate((circle) => getComputedStyle(circle).fill);
  assert.notEqual(dot, "rgb(0, 0, 0)");
  await close();
}

// However long a word is, no page is wider than the screen, with everything open that can be opened.
{
  const { page, close } = await person({ viewport: { width: 320, height: 640 } });
  await signIn(page, given.keys.admin);
  const user = `user_id=${given.wide}`;
  await page.goto(within(page, `memory?${user}`));
  const fact = await page.getByRole("link", { name: /^note/ }).getAttribute("href");
  await page.goto(within(page, `decisions?${user}`));
  const decision = await page.getByRole("row").nth(1).getByRole("link").getAttribute("href");
  for (const path of [`memory?${user}`, fact, decision, "waiting", `waiting?${user}`, `erase?${user}&subject=note`,
    `decisions?${user}`, `decided?${user}`, `receipts?${user}`, `graph?${user}`, "audit", `audit?${user}`, "witnesses", "people"]) {
    await page.goto(within(page, path));
    const wide = await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      return document.documentElement.scrollWidth;
    });
    assert.ok(wide <= 320, `${path} is ${wide} wide`);
  }
  await page.setViewportSize({ width: 1100, height: 640 });
  await page.goto(within(page, `waiting?${user}`));
  const lines = await page.getByText("nothing", { exact: true }).evaluate((word) => word.getClientRects().length);
  assert.equal(lines, 1, "a short word is broken");
  await close();
}

// Enter in a field, or on a box, decides nothing.
{
  const { page, close } = await person();
  await signIn(page, given.keys.member);
  await open(page, "Waiting");
  const before = await page.getByRole("row").count();
  const box = () => waiting(page, "patient-7").getByRole("checkbox");
  await page.getByLabel(/^Note/).fill("Dr Lee");
  await box().check();
  for (const field of [page.getByLabel(/^Note/), box()]) {
    const answer = page.waitForResponse(within(page, "waiting"));
    await field.press("Enter");
    await (await answer).finished();
    await page.getByRole("alert").getByText("Nothing was decided.").waitFor();
    assert.equal(await page.getByLabel(/^Note/).inputValue(), "Dr Lee");
    assert.equal(await box().isChecked(), true);
  }
  await noViolations(page, "nothing was decided");
  await open(page, "Waiting");
  assert.equal(await page.getByRole("row").count(), before);
  await close();
}

// What a search that is sent while it is typed does not find is not left on the page as its answer.
{
  const { page, context, close } = await person();
  await signIn(page, given.keys.member);
  await page.goto(within(page, `memory?user_id=patient-7`));
  await page.getByRole("link", { name: /allergy/ }).waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("word ".repeat(80));
  await page.getByRole("alert").getByText("too long").waitFor();
  assert.equal(await page.getByRole("link", { name: /allergy/ }).count(), 0);
  await page.getByRole("searchbox", { name: "Search" }).fill("penicillin");
  await page.getByRole("link", { name: /allergy/ }).waitFor();
  await context.clearCookies();
  await page.getByRole("searchbox", { name: "Search" }).fill("warfarin");
  await page.getByLabel("API key").waitFor();
  await close();
}

// A search is sent while it is typed, by words that are not finished.
{
  const { page, close } = await person();
  await signIn(page, given.keys.member);
  await page.goto(within(page, `memory?user_id=patient-7`));
  await picture(page, "memory");
  await page.getByRole("searchbox", { name: "Search" }).pressSequentially("penic");
  await page.waitForURL(/text=penic/);
  const best = await page.getByRole("row").nth(1).textContent();
  assert.ok(best.includes("penicillin"), best);
  await page.getByRole("link", { name: /allergy/ }).click();
  await page.getByRole("heading", { name: "History" }).waitFor();
  await noViolations(page, "a fact");
  await close();
}

// The approval of the tutorial, by the mouse alone.
{
  const { page, close } = await person();
  await signIn(page, given.keys.member);
  const click = async (element) => {
    await element.scrollIntoViewIfNeeded();
    const box = await element.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  };
  await click(page.getByRole("link", { name: "Waiting", exact: true }));
  await waiting(page, "patient-7").waitFor();
  const row = await waiting(page, "patient-7").textContent();
  for (const shown of ["warfarin 5 mg daily", "warfarin 7.5 mg daily", "The patient now takes", "nurse"]) {
    assert.ok(row.includes(shown), `${shown}: ${row}`);
  }
  await picture(page, "waiting");
  await click(waiting(page, "patient-7").getByRole("button", { name: /^Approve/ }));
  await page.getByRole("status").getByText(/^Approved #\d+: SUPERSEDE active_medication = warfarin 7.5 mg daily/).waitFor();
  assert.equal(await waiting(page, "patient-7").count(), 0);
  await close();
}

// And by the keyboard alone, from signing in on.
{
  const { page, close } = await person();
  await page.goto(given.console);
  const focused = () => page.evaluate(() => {
    const at = document.activeElement;
    return at.getAttribute("aria-label") ?? at.textContent.trim() + (at.getAttribute("type") ?? "");
  });
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      if (wanted.test(await focused())) return;
    }
    assert.fail(`the keyboard does not reach ${wanted}`);
  };
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await tabTo(/password/);
  await page.keyboard.type(given.keys.member);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Memory of/ }).waitFor();
  await tabTo(/^Waiting$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Waiting/ }).waitFor();
  await tabTo(/^Approve #\d+ active_medication of patient-8/);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText(/^Approved #\d+: SUPERSEDE active_medication/).waitFor();
  assert.equal(await waiting(page, "patient-8").count(), 0);
  await close();
}

// Without any script: reading, searching, approving many at once, rejecting with a note.
{
  const { page, close } = await person({ javaScriptEnabled: false });
  await signIn(page, given.keys.member);
  await page.goto(within(page, `memory?user_id=patient-9`));
  await page.getByRole("searchbox", { name: "Search" }).fill("penicillin");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: /allergy/ }).waitFor();
  await open(page, "Waiting");
  await page.getByLabel(/^Note/).fill("ask again");
  await waiting(page, "patient-9").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Reject marked" }).click();
  await page.getByRole("status").getByText(/^Rejected #/).waitFor();
  await page.getByRole("link", { name: "What was decided, and by whom" }).click();
  await page.getByLabel("User").fill("patient-9");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("cell", { name: "rejected" }).waitFor();
  await close();
}

// Every other action.
{
  const { page, close } = await person();
  await signIn(page, given.keys.admin);
  await page.goto(within(page, `fact?user_id=patient-7&id=${given.allergy}`));
  await page.getByLabel("Correct value").fill("penicillin and latex");
  await page.getByRole("button", { name: "Correct" }).click();
  await page.getByRole("status").getByText(/^Updated #/).waitFor();
  await picture(page, "fact");
  await noViolations(page, "a fact with a history");
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("status").getByText(/^Retracted/).waitFor();
  await page.getByRole("link", { name: /^Erase/ }).click();
  await noViolations(page, "erasing");
  await page.getByRole("button", { name: "Erase for good" }).click();
  await page.getByRole("status").getByText(/^Deleted 3 fact\(s\)/).waitFor();
  await page.goto(within(page, `receipts?user_id=patient-7`));
  await page.getByText("✓ valid").first().waitFor();
  await page.goto(within(page, `decisions?user_id=patient-7`));
  await page.getByRole("link", { name: "#1" }).click();
  await page.getByText("✓ verified", { exact: false }).waitFor();
  await noViolations(page, "a decision");
  await open(page, "Audit log");
  await page.getByRole("button", { name: "Check the whole log" }).click();
  await page.getByText("Audit chain INTACT", { exact: false }).waitFor();
  await open(page, "People");
  await page.getByLabel("Name").fill("visitor");
  await page.getByLabel("Role").selectOption("viewer");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(/^svc_sk_/).waitFor();
  await noViolations(page, "a new key");
  await open(page, "People");
  const visitor = page.getByRole("row").filter({ hasText: "visitor" });
  const actions = () => visitor.getByText("Change, rotate or revoke");
  await actions().click();
  await noViolations(page, "changing a key");
  await visitor.getByLabel(/^Users in scope/).fill("patient-7");
  await visitor.getByLabel(/calls a minute/).fill("60");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText(/scopes \* → patient-7; calls a minute none → 60/).waitFor();
  await visitor.getByText("at most 60 calls a minute").waitFor();
  await actions().click();
  await visitor.getByRole("button", { name: "Rotate" }).click();
  await page.getByText(/^svc_sk_/).waitFor();
  await open(page, "People");
  await actions().click();
  await visitor.getByRole("button", { name: "Revoke at once" }).click();
  await page.getByRole("status").getByText(/^Revoked principal/).waitFor();
  await page.goto(within(page, "witnesses"));
  await noViolations(page, "witnesses");
  await page.goto(within(page, `graph?user_id=team`));
  await noViolations(page, "a graph");
  await picture(page, "graph");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  await close();
}

// A page of another site: neither a frame nor a form of it does anything, though the person is signed in.
{
  const { page, context, close } = await person();
  await signIn(page, given.keys.admin);
  const evil = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    const form = `<form method="post" action="${within(page, "signout")}"><button>Win a prize</button></form>`;
    response.end(request.url === "/frame" ? `<iframe src="${within(page, "waiting")}"></iframe>` : form);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => evil.once("listening", resolve));
  const site = `http://127.0.0.1:${evil.address().port}`;
  const other = await context.newPage();
  await other.goto(`${site}/frame`);
  const framed = other.frames().find((frame) => frame !== other.mainFrame());
  assert.equal(await framed.getByRole("navigation").count(), 0);
  await other.goto(`${site}/form`);
  const [answer] = await Promise.all([other.waitForResponse(within(page, "signout")), other.getByRole("button").click()]);
  assert.equal(answer.status(), 403);
  await page.goto(within(page, `memory`));
  await page.getByRole("heading", { name: /^Memory of/ }).waitFor();
  evil.close();
  await close();
}

// What a fact says is text.
{
  const { page, close } = await person();
  await signIn(page, given.keys.admin);
  for (const path of ["memory?user_id=mallory", `fact?user_id=mallory&id=${given.script}`, "graph?user_id=mallory"]) {
    await page.goto(within(page, path));
    await page.getByText("alert(1)", { exact: false }).first().waitFor();
    assert.equal(await page.locator("main script, main img").count(), 0);
  }
  await close();
}

// The address of the local console: once, in one browser.
{
  const { page, context, close } = await person();
  await page.goto(given.local);
  await page.getByRole("heading", { name: /^Memory of/ }).waitFor();
  // Another server on this machine sees nothing of the session, and what it sets does not end it.
  const seen = [];
  const name = `svc_console_${new URL(given.local).port}`;
  const spy = createServer((request, response) => {
    seen.push(request.headers.cookie);
    response.setHeader("set-cookie", `${name}=planted; Path=/`);
    response.end("spy");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => spy.once("listening", resolve));
  const other = await context.newPage();
  for (const path of ["", "memory"]) await other.goto(`http://127.0.0.1:${spy.address().port}/${path}`);
  spy.close();
  assert.ok(seen.every((cookies) => cookies === undefined || cookies === `${name}=planted`), seen.join());
  await page.reload();
  await page.getByRole("heading", { name: /^Memory of/ }).waitFor();
  await close();
  const thief = await person();
  await thief.page.goto(given.local);
  await thief.page.getByRole("heading", { name: "This address does not work" }).waitFor();
  await thief.close();
}

await browser.close();
