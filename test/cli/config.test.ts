import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseConfig, SETTINGS } from "../../src/site/site-config.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

test("config init writes a file that is valid as it is, and does not overwrite one", async () => {
  assert.equal((await trawl.run("config", "init")).code, 0);
  const text = readFileSync(join(trawl.folder, "trawl.yaml"), "utf8");
  for (const { name } of SETTINGS) assert.ok(text.includes(`#${name}: `), name);
  assert.match((await trawl.run("config", "validate")).stdout, /trawl\.yaml is valid; 0 settings changed/);
  const again = await trawl.run("config", "init");
  assert.equal(again.code, 2);
  assert.match(again.stderr, /--force/);
  const { lines } = await trawl.json("config", "init", "-");
  assert.deepEqual(lines[0], parseConfig({}));
});

test("config validate lists every mistake and suggests what was meant", async () => {
  writeFileSync(join(trawl.folder, "bad.yaml"), "maxUrl: 5\nrate: fast\n");
  const { code, stderr } = await trawl.run("config", "validate", "bad.yaml");
  assert.equal(code, 2);
  assert.match(stderr, /bad\.yaml is not valid/);
  assert.match(stderr, /maxUrl: there is no such setting; did you mean maxUrls\?/);
  assert.match(stderr, /rate: .*number/);
  assert.equal((await trawl.run("crawl", "example.com", "--config", "bad.yaml")).code, 2);
});

test("config show prints every setting; those of the file override the defaults", async () => {
  writeFileSync(join(trawl.folder, "good.yaml"), "maxUrls: 5\nexclude: ['*/tag/*']\n");
  const { lines } = await trawl.json("config", "show", "good.yaml");
  assert.deepEqual(lines[0], { ...parseConfig({}), maxUrls: 5, exclude: ["*/tag/*"] });
  assert.match((await trawl.run("config", "show", "good.yaml")).stdout, /^maxUrls: 5 +# default 0$/m);
});
