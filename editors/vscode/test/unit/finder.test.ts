import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "../../src/common/version";

test("versions are compared by number", () => {
  assert.ok(compare("0.10.0", "0.9.9") > 0);
  assert.equal(compare("0.1", "0.1.0"), 0);
});
