import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parse } from "yaml";
import { TrawlError } from "../../errors.ts";
import { parseConfig, SETTINGS } from "../../site/site-config.ts";
import { checkConfig, configTemplate, readConfigFile } from "./config-file.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-config-"));
after(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const path = join(folder, "trawl.yaml");
  writeFileSync(path, text);
  return path;
}

test("the template changes nothing as it is, and says the defaults when its comments are opened", () => {
  assert.equal(parse(configTemplate()), null);
  const opened = configTemplate().replace(/^#(?=\w)/gm, "");
  assert.deepEqual(parse(opened), parseConfig({}));
  for (const { name } of SETTINGS) assert.match(configTemplate(), new RegExp(`^#${name}: `, "m"));
});

test("an empty file sets nothing; a list is refused; bad YAML is reported with its line", async () => {
  assert.deepEqual(await readConfigFile(written("# nothing\n")), {});
  assert.deepEqual(await readConfigFile(written("maxUrls: 5\n")), { maxUrls: 5 });
  await assert.rejects(() => readConfigFile(written("- a\n")), { code: "BAD_CONFIG" });
  await assert.rejects(() => readConfigFile(written('maxUrls: "5\n')), /line 2|line 1/);
  await assert.rejects(() => readConfigFile(join(folder, "none.yaml")), { code: "FILE_NOT_READABLE" });
});

test("a mistake is named with the file and a suggestion", () => {
  assert.throws(
    () => checkConfig({ maxUrl: 5 }, "trawl.yaml"),
    (error) =>
      error instanceof TrawlError && /trawl\.yaml is not valid:\nmaxUrl: .*did you mean maxUrls/.test(error.message),
  );
});

test("an alias that names nothing, or too much, is a mistake in the file", async () => {
  const bomb = [
    "a0: &a0 [x, x]",
    ...[1, 2, 3, 4, 5, 6, 7].map((n) => `a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`),
  ];
  for (const text of ["maxUrls: *nothing\n", bomb.join("\n")]) {
    await assert.rejects(() => readConfigFile(written(text)), { code: "BAD_CONFIG" });
  }
});
