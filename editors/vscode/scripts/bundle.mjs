// Bundles the extension into dist/; with --tests the unit tests and the tests of the extension host into out/.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PRODUCTION = process.argv.includes("--production");
const TESTS = process.argv.includes("--tests");

const shared = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node18",
  external: ["vscode"],
  logLevel: "warning",
  metafile: true,
};

if (TESTS) {
  await rm(join(ROOT, "out"), { recursive: true, force: true });
  const unit = (await readdir(join(ROOT, "test/unit"), { recursive: true })).filter((name) =>
    name.endsWith(".test.ts"),
  );
  await build({
    ...shared,
    entryPoints: unit.map((name) => `test/unit/${name}`),
    outdir: "out/unit",
    sourcemap: "inline",
  });
  await build({
    ...shared,
    // Mocha finds its reporters and interfaces by name at run time, so it is not bundled.
    external: ["vscode", "mocha"],
    entryPoints: ["test/host/index.ts"],
    outdir: "out/host",
    sourcemap: "inline",
  });
} else {
  await build({
    ...shared,
    entryPoints: ["src/extension.ts"],
    outdir: "dist",
    minify: PRODUCTION,
    sourcemap: PRODUCTION ? false : "linked",
  });
  // The script of a page: it runs in a browser.
  await build({
    ...shared,
    platform: "browser",
    format: "iife",
    target: "es2022",
    entryPoints: ["webview/inject.ts"],
    outdir: "dist",
    minify: PRODUCTION,
    sourcemap: false,
  });
}
