import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Consent } from "../../src/common/consent";

function consent(): Consent {
  const kept = new Map<string, unknown>();
  return new Consent({
    get: (key) => kept.get(key),
    update: async (key, value) => {
      await Promise.resolve();
      kept.set(key, value);
    },
  });
}

describe("the consent to uvx", () => {
  it("is asked for until it is given", async () => {
    const made = consent();
    for (const setting of ["ask", undefined, true, "yes"]) {
      assert.deepEqual(await made.uvx(setting, ""), { may: "ask", from: "" });
    }
    await made.give("");
    assert.deepEqual(await made.uvx("ask", ""), { may: "run", from: "" });
  });

  it("holds for one source", async () => {
    const made = consent();
    await made.give("");
    assert.equal((await made.uvx("ask", "git+https://example.org/other")).may, "ask");
    await made.give("/src/sidecar");
    assert.deepEqual(await made.uvx("ask", "/src/sidecar"), { may: "run", from: "/src/sidecar" });
    assert.equal((await made.uvx("ask", "")).may, "ask");
  });

  it("is taken back by the setting, and not needed when the setting gives it", async () => {
    const made = consent();
    assert.equal((await made.uvx("always", "")).may, "run");
    assert.equal((await made.uvx("ask", "")).may, "ask", "always is no consent that stays");
    await made.give("");
    assert.equal((await made.uvx("never", "")).may, "no");
    assert.equal((await made.uvx("ask", "")).may, "ask");
  });
});
