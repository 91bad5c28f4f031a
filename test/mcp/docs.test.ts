/** The documentation page and the actual tools. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TOOLS } from "../../src/transports/mcp/server.ts";

test("docs/mcp.md lists every tool with its arguments", () => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
  const rows = page
    .split("\n")
    .filter((line) => /^\| `[a-z_]+` /.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const expected = TOOLS.map(({ name, title, inputSchema }) => {
    const { properties, required = [] } = inputSchema as { properties: object; required?: string[] };
    const names = Object.keys(properties).filter((argument) => argument !== "cursor" && argument !== "max_tokens");
    const shown = names.map((argument) => `\`${argument}${required.includes(argument) ? "" : "?"}\``);
    return [`\`${name}\``, title, shown.join(", ")];
  });
  assert.deepEqual(rows, expected);
});
