// Opens a window of VS Code in headless Chromium and runs a suite inside its extension host.
//
//   node runner.mjs JSON
//
// JSON: `server` (server-main.js of the VS Code server), `extension` (folder), `place` (a folder of its own for the run),
// `open` (a folder or .code-workspace), `settings` (of the user), `env`, `suite`, `chromium`. Exit status 0: every test
// passed and, once the window was closed, no process was left whose id stands in `place`/pids.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import { chromium } from "playwright-core";

const SUITE_MS = 800_000;
const GONE_MS = 120_000;
// What VS Code's own parts write that has nothing to do with us.
const NOISE =
  /^\[?(AgentHost|ChatModelSelection|AccountPolicyGate|Service Worker|reconnection|Creating a socket|Resolv|Updating additional|Timed out waiting for authentication|connect ECONNREFUSED|ChatSessionStore)|Could not locate the bindings|Cannot find module '.\/build\/Release|^%c/;

const run = JSON.parse(process.argv[2]);
const user = join(run.place, "user", "User");
mkdirSync(user, { recursive: true });
mkdirSync(join(run.place, "extensions"), { recursive: true });
writeFileSync(join(user, "settings.json"), JSON.stringify(run.settings, null, 2));

const server = spawn(
  process.execPath,
  [
    run.server,
    ...["--host", "127.0.0.1", "--port", "0", "--without-connection-token"],
    ...["--accept-server-license-terms", "--telemetry-level", "off", "--enable-smoke-test-driver"],
    ...["--user-data-dir", join(run.place, "user"), "--server-data-dir", join(run.place, "server")],
    ...["--extensions-dir", join(run.place, "extensions")],
  ],
  {
    env: {
      ...process.env,
      ...run.env,
      EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "http://127.0.0.1:9/" }),
      VSCODE_CLI: "1", // take the environment as it is, without asking a login shell
      SIDECAR_PLACE: run.place,
      SIDECAR_SUITE: run.suite,
    },
    stdio: ["ignore", "pipe", "pipe"],
  },
);
let said = "";
/** The port that it found for itself: one that somebody else finds free beforehand may be taken by then. */
const listens = new Promise((resolve, reject) => {
  const fail = (why) => reject(new Error(`The VS Code server did not start (${why}):\n${said}`));
  const late = setTimeout(() => fail("the time is over"), SUITE_MS);
  server.once("error", fail).once("exit", (status) => fail(`it ended with ${status}`));
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (data) => {
      said = (said + data).slice(-4_000);
      const found = /agent listening on (\d+)/.exec(said);
      if (found === null) return;
      clearTimeout(late);
      resolve(Number(found[1]));
    });
  }
});

let code = 1;
try {
  code = await suite(await listens);
} finally {
  server.kill();
}
process.exit(code);

async function suite(port) {
  const context = await chromium.launchPersistentContext(join(run.place, "chromium"), {
    executablePath: run.chromium,
    headless: true,
    timeout: SUITE_MS, // until it is started
    viewport: { width: 1200, height: 750 },
    args: [
      ...[
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-sync",
      ],
      ...["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"],
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  await page.exposeFunction("codeAutomationLog", (_type, args) => {
    const line = format(...args);
    if (!NOISE.test(line.trimStart())) console.log(line.split("\n").slice(0, 30).join("\n"));
  });
  await page.exposeFunction("codeAutomationExit", (status) => finish(status));
  const remote = (path) => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload = JSON.stringify([
    ["extensionDevelopmentPath", remote(run.extension)],
    ["extensionTestsPath", remote(join(run.extension, "out/host/index.js"))],
    ["skipWelcome", "true"],
  ]);
  const kind = run.open.endsWith(".code-workspace") ? "workspace" : "folder";
  const query = `${kind}=${encodeURIComponent(run.open)}&payload=${encodeURIComponent(payload)}`;
  const timer = setTimeout(() => finish("nothing: the time is over"), SUITE_MS);
  await page.goto(`http://127.0.0.1:${port}/?${query}`, { timeout: SUITE_MS });
  const status = await finished;
  clearTimeout(timer);
  if (status !== 0) {
    const shot = await page
      .screenshot({ path: join(run.place, "failed.png"), timeout: GONE_MS })
      .then(() => `Screenshot: ${join(run.place, "failed.png")}`, String);
    console.log(`The tests ended with ${status}. ${shot}\n${said}`);
  }
  await page.close({ runBeforeUnload: true });
  await context.close();
  const left = await leftOver();
  if (left.length > 0) {
    console.log(
      `The window is closed, and these processes of the sidecar are still there: ${left.join(", ")}`,
    );
  }
  return status === 0 && left.length === 0 ? 0 : 1;
}

/** Sidecars that still run some time after their window was closed. */
async function leftOver() {
  let ids = [];
  try {
    ids = readFileSync(join(run.place, "pids"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    console.log("No sidecar was started.");
  }
  const end = Date.now() + GONE_MS;
  for (;;) {
    ids = ids.filter(isAlive);
    if (ids.length === 0 || Date.now() > end) return ids;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}
