// Entry of the tests that run inside an extension host. SIDECAR_SUITE names the suite; each needs a window of its own.
import Mocha from "mocha";

const SUITES: Record<string, () => Promise<unknown>> = {
  main: () => import("./main"),
  missing: () => import("./missing"),
  three: () => import("./three"),
  untrusted: () => Promise.all([import("./untrusted"), import("./views_untrusted")]),
  views: async () => [await import("./views"), await import("./candidates")],
};

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 400_000, reporter: "spec", color: false });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  const name = process.env["SIDECAR_SUITE"] ?? "main";
  const load = SUITES[name];
  if (load === undefined) {
    throw new Error(`There is no suite ${name}.`);
  }
  await load();
  // A window that VS Code gives up before this is opened once more.
  // eslint-disable-next-line no-console
  console.log("The tests begin.");
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) => (failures > 0 ? reject(new Error(`${failures} failed`)) : resolve()));
  });
}
