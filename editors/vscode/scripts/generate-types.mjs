// Writes src/protocol.ts from protocol/schema.json; with --check it only says whether the file is current.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const SCHEMA = fileURLToPath(new URL("../../../protocol/schema.json", import.meta.url));
const TARGET = fileURLToPath(new URL("../src/protocol.ts", import.meta.url));
const HEAD =
  "// Generated from protocol/schema.json by scripts/generate-types.mjs (npm run types). Do not edit.\n\n";

const schema = JSON.parse(await readFile(SCHEMA, "utf8"));
const text = HEAD + (await structs(schema)) + "\n" + methods(schema) + "\n" + errorCodes(schema);

if (process.argv.includes("--check")) {
  const now = await readFile(TARGET, "utf8").catch(() => "");
  if (now !== text) {
    console.error("src/protocol.ts is not current: run `npm run types` and commit it.");
    process.exit(1);
  }
} else {
  await writeFile(TARGET, text);
}

/** Every struct of the wire as an interface. */
async function structs({ $defs }) {
  const properties = Object.fromEntries(
    Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const all = {
    $defs: strip($defs, true),
    title: "Structs",
    type: "object",
    properties,
    additionalProperties: false,
  };
  const made = await compile(all, "Structs", { bannerComment: "", format: true, style: { printWidth: 110 } });
  return made.replace(/export interface Structs \{[\s\S]*?\n\}\n/, "").trim() + "\n";
}

/** Without what says nothing to TypeScript. The names of properties are kept whatever they are. */
function strip(node, named = false) {
  if (Array.isArray(node)) return node.map((one) => strip(one));
  if (node === null || typeof node !== "object") return node;
  const dropped = named ? [] : ["minLength", "maxLength", "pattern", "default"];
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !dropped.includes(key))
      .map(([key, value]) => [key, strip(value, !named && key === "properties")]),
  );
}

/** What is asked and answered under which name. */
function methods({ methods: table }) {
  const requests = [];
  const notifications = { client: [], sidecar: [] };
  for (const [name, row] of Object.entries(table)) {
    const params = row.params.$ref.split("/").pop();
    if (row.kind === "request") {
      const result = row.result.$ref.split("/").pop();
      requests.push(`  /** ${row.summary} */\n  "${name}": { params: ${params}; result: ${result} };`);
    } else {
      notifications[row.sender].push(`  /** ${row.summary} */\n  "${name}": ${params};`);
    }
  }
  const writes = Object.entries(table)
    .filter(([, row]) => row.sender === "client" && row.lane === "write")
    .map(([name]) => `  "${name}",`);
  return [
    "/** Requests to the sidecar. */",
    `export interface Methods {\n${requests.join("\n")}\n}\n`,
    "/** Notifications to the sidecar. */",
    `export interface ClientNotifications {\n${notifications.client.join("\n")}\n}\n`,
    "/** Notifications from the sidecar. */",
    `export interface SidecarNotifications {\n${notifications.sidecar.join("\n")}\n}\n`,
    "/** Methods that change what is kept, by the lane they run in. */",
    `export const WRITES: ReadonlySet<string> = new Set([\n${writes.join("\n")}\n]);\n`,
  ].join("\n");
}

function errorCodes({ errorCodes: codes }) {
  const rows = Object.entries(codes).map(([name, code]) => `  ${name}: ${code},`);
  return `/** Codes of errors. */\nexport const ERROR_CODES = {\n${rows.join("\n")}\n} as const;\n`;
}
