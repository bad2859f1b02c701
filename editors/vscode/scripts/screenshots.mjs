// Makes media/screenshots: a project with memories, the packaged extension in a real workbench, driven by clicks and keys.
//
//   node scripts/screenshots.mjs JSON
//
// JSON: `server` (server-main.js of a VS Code server), `vsix`, `program` (command line of the sidecar as a list), `place`
// (an empty folder), `out` (folder for the pictures), `chromium`. Every step waits for what it did to be seen; a step
// that is not seen ends the run with an error and a picture of the window in `place`.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { freePort, listening } from "../test/host/ports.mjs";
import { prepare } from "./screenshot_project.mjs";

const run = JSON.parse(process.argv[2]);
const project = join(run.place, "ledger");
const PROMPT = "Posting a refund rounds the fee the wrong way. Fix it and add a test.";
const env = { ...process.env, HOME: join(run.place, "home"), XDG_DATA_HOME: join(run.place, "data") };
mkdirSync(env.HOME, { recursive: true });
mkdirSync(run.out, { recursive: true });
await prepare(project, run.place, run.program, env);

const SETTINGS = {
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.startupEditor": "none",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "chat.disableAIFeatures": true,
  "files.autoSave": "off",
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "memorySidecar.command": run.program,
};
const user = join(run.place, "user", "User");
mkdirSync(user, { recursive: true });
const settings = (more) =>
  writeFileSync(join(user, "settings.json"), JSON.stringify({ ...SETTINGS, ...more }));
settings({});

const folders = [
  ...["--user-data-dir", join(run.place, "user"), "--server-data-dir", join(run.place, "server")],
  ...["--extensions-dir", join(run.place, "extensions"), "--accept-server-license-terms"],
];
const quiet = { ...env, EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "http://127.0.0.1:9/" }) };
execFileSync(process.execPath, [run.server, ...folders, "--install-extension", run.vsix, "--force"], {
  env: quiet,
  stdio: ["ignore", "ignore", "inherit"],
});
const port = await freePort();
const where = ["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"];
const server = spawn(process.execPath, [run.server, ...folders, ...where, "--telemetry-level", "off"], {
  env: quiet,
  stdio: "ignore",
});
const context = await chromium.launchPersistentContext(join(run.place, "chromium"), {
  executablePath: run.chromium,
  headless: true,
  viewport: { width: 1280, height: 820 },
  args: [
    ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    ...["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"],
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  ],
});
const page = context.pages()[0] ?? (await context.newPage());
try {
  if (!(await listening(port))) throw new Error("The VS Code server did not start.");
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(project)}`);
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  // The extension is there when its icon and its item of the status bar are.
  await page.locator('.activitybar .action-label[aria-label^="Memory"]').waitFor({ timeout: 60_000 });
  await page.locator(".statusbar-item", { hasText: "Memory" }).waitFor({ timeout: 60_000 });
  await pictures();
} catch (error) {
  await page.screenshot({ path: join(run.place, "failed.png") });
  console.error(`The window as it was: ${join(run.place, "failed.png")}`);
  throw error;
} finally {
  await context.close();
  server.kill();
}

async function pictures() {
  const tree = page.getByRole("tree", { name: /Memories/ });
  await widen(430);
  // By keys alone: open the view, walk to a memory, open it.
  await command("Memory: Focus on Memories View");
  const pinned = tree.getByRole("treeitem", { name: /Money is kept in integer cents/ });
  await pinned.waitFor({ timeout: 60_000 });
  await tree
    .getByRole("treeitem", { name: /contradicted/ })
    .first()
    .waitFor({ timeout: 30_000 });
  await tree
    .getByRole("treeitem", { name: /suspect/ })
    .first()
    .waitFor({ timeout: 30_000 });
  await command("Memory: Focus on Memories View"); // the keys go to the tree, now that it is there
  await page.keyboard.press("Home");
  for (let steps = 0; steps < 40 && !(await focused()).includes("Money is kept"); steps++) {
    await page.keyboard.press("ArrowDown");
  }
  if (!(await focused()).includes("Money is kept")) throw new Error(`The keys went to: ${await focused()}`);
  await page.keyboard.press("Enter");
  await page.locator(".tab", { hasText: "Money is kept" }).waitFor();
  await page.locator(".view-line", { hasText: "category: decision" }).waitFor();
  await command("View: Close All Editors");

  await page.locator('.activitybar .action-label[aria-label^="Explorer"]').click();
  const explorer = page.locator(".explorer-folders-view");
  await explorer.getByText("ledger", { exact: true }).click();
  await explorer.getByText("posting.py", { exact: true }).dblclick();
  await page.locator(".tab", { hasText: "posting.py" }).waitFor();
  // Its badge lies over its middle.
  await page.locator('.activitybar .action-label[aria-label^="Memory"]').click({ force: true });
  const file = page.getByRole("tree", { name: /File Memory/ });
  await file.getByRole("treeitem", { name: /^Facts/ }).waitFor({ timeout: 30_000 });
  await page.getByRole("treeitem", { name: /^Post a refund on the day/ }).waitFor();
  await settled();
  await page.screenshot({
    path: join(run.out, "memory-view.png"),
    clip: { x: 0, y: 0, width: 1000, height: 820 },
  });

  // The file's own view, alone in the side bar.
  const others = [/^Memories/, /^Candidates/].map((hasText) => page.locator(".pane-header", { hasText }));
  for (const other of others) await other.click();
  await page.locator(".pane-header", { hasText: /^File Memory/ }).waitFor();
  await file.getByRole("treeitem", { name: /^The function fee uses/ }).click();
  await settled();
  await page.screenshot({
    path: join(run.out, "file-memory.png"),
    clip: { x: 0, y: 0, width: 1000, height: 620 },
  });
  for (const other of others) await other.click();

  await inject("inject-preview-dark.png");
  await theme("Default Light Modern", "vs");
  await settled(1_500);
  await shoot("inject-preview-light.png");

  // The block is what the sidecar injects, to the letter; the page has its policy; it fits into 300 pixels.
  const frame = framed();
  const given = [...run.program.slice(1), "inject", "--workspace", project, "--budget-tokens", "700", PROMPT];
  const direct = execFileSync(run.program[0], given, { env, encoding: "utf8" });
  const shown = await frame.locator("#text").textContent();
  if (shown.trim() !== direct.trim())
    throw new Error(`The page shows another block:\n${shown}\n---\n${direct}`);
  const policy = await frame.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  if (!/^default-src 'none'; style-src [^;']*'self'[^;]*; script-src 'nonce-[\w-]+';/.test(policy))
    throw new Error(policy);
  await theme("Default High Contrast", "hc-black");
  await page.setViewportSize({ width: 348, height: 820 });
  await settled(1_500);
  await page.screenshot({ path: join(run.place, "narrow-high-contrast.png") });
  const [wide, room] = await frame.locator("body").evaluate((body) => [body.scrollWidth, body.clientWidth]);
  if (room > 320 || wide > room) throw new Error(`The page is ${wide} pixels wide where ${room} are.`);
}

async function inject(name) {
  await command("View: Close All Editors");
  await command("View: Toggle Primary Side Bar Visibility");
  await command("Memory: Preview What an Agent Would See");
  const frame = framed();
  const prompt = frame.locator("#prompt");
  await prompt.waitFor({ timeout: 30_000 });
  await prompt.click();
  await page.keyboard.type(PROMPT);
  await frame.locator("#status", { hasText: /^[\d,]+ of 5,000 tokens/ }).waitFor({ timeout: 30_000 });
  // The budget by keys, from the exact field.
  await frame.locator("#budget-number").fill("700");
  await frame.locator("#budget-number").press("Enter");
  await frame.locator("#status", { hasText: /of 700 tokens/ }).waitFor({ timeout: 30_000 });
  await frame.locator("#items button", { hasText: /round half to even/i }).waitFor();
  await settled();
  await shoot(name);
}

/** Load the window anew in another theme. The preview comes back by itself, with what it was asked. */
async function theme(name, sign) {
  settings({ "workbench.colorTheme": name });
  await page.waitForTimeout(12_000); // VS Code in a browser keeps what is open every five seconds
  await page.reload();
  await page.locator(`.monaco-workbench.${sign}`).waitFor({ timeout: 60_000 });
  const frame = framed();
  await frame.locator("#status", { hasText: /of 700 tokens/ }).waitFor({ timeout: 60_000 });
  if ((await frame.locator("#prompt").inputValue()) !== PROMPT) throw new Error("The prompt was not kept.");
}

function framed() {
  return page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
}

async function shoot(name) {
  await page.screenshot({ path: join(run.out, name), clip: { x: 0, y: 0, width: 1280, height: 798 } });
}

/** Run a command by its title, with keys. */
async function command(title) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input.input");
  await input.waitFor();
  await input.fill(`>${title}`);
  await page
    .locator(".quick-input-list .monaco-list-row", { hasText: title.split(": ").at(-1) })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
}

/** What a screen reader would say of the focused row. */
function focused() {
  return page
    .locator(".monaco-list.element-focused .monaco-list-row.focused, .monaco-list-row.focused")
    .first()
    .getAttribute("aria-label")
    .then((label) => label ?? "");
}

async function widen(width) {
  const sash = page.locator(".sidebar").first();
  const box = await sash.boundingBox();
  await page.mouse.move(box.x + box.width, 400);
  await page.mouse.down();
  await page.mouse.move(box.x + width, 400, { steps: 5 });
  await page.mouse.up();
}

async function settled(ms = 700) {
  await page.mouse.move(1276, 300);
  await page.waitForTimeout(ms);
  await page
    .locator(".notification-toast .codicon-notifications-clear")
    .first()
    .click({ timeout: 300 })
    .catch(() => undefined);
}
