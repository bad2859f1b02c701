// Draws media/icon.png from scripts/icon.svg. Needs a Chromium: node scripts/icon.mjs /usr/bin/chromium
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const browser = await chromium.launch({
  executablePath: process.argv[2] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
await page.setContent(
  `<style>body { margin: 0 } svg { display: block }</style>${await readFile(at("icon.svg"), "utf8")}`,
);
await page.screenshot({ path: at("../media/icon.png"), omitBackground: true });
await browser.close();
