import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../site-config.ts";
import { withoutSecrets, withSecrets } from "./secrets.ts";

test("passwords are hidden, names stay", () => {
  const config = parseConfig({
    auth: "me:secret",
    headers: { Authorization: "Bearer secret" },
    proxy: "http://me:secret@127.0.0.1:3128",
  });
  const shown = withoutSecrets(config);
  assert.doesNotMatch(JSON.stringify(shown), /secret/);
  assert.deepEqual(Object.keys(shown.headers!), ["Authorization"]);
  assert.equal(shown.proxy, "http://…@127.0.0.1:3128");
  assert.deepEqual(withoutSecrets(parseConfig({})), parseConfig({}));
});

test("what was hidden and comes back is what it hid; what was changed counts", () => {
  const config = parseConfig({
    auth: "me:secret",
    headers: { Authorization: "Bearer secret", "X-Key": "other" },
    proxy: "http://me:secret@127.0.0.1:3128",
  });
  assert.deepEqual(withSecrets({ ...withoutSecrets(config) }, config), config);
  const shown = withoutSecrets(config);
  assert.deepEqual(withSecrets({ headers: { ...shown.headers, "X-Key": "new" } }, config), {
    headers: { Authorization: "Bearer secret", "X-Key": "new" },
  });
  assert.deepEqual(withSecrets({ auth: "you:new" }, config), { auth: "you:new" });
  assert.deepEqual(withSecrets({ maxUrls: 5 }, config), { maxUrls: 5 }, "nothing is added");
  assert.deepEqual(withSecrets({ auth: null }, config), { auth: null });
});
