/**
 * The API report, docs/api.md: every name that the package exports, with its declaration, as the compiler sees it.
 *
 * A change of the library's public API changes this file, so reviewers see it. `--check` compares; without it, the file is rewritten.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, runCommand, TSC } from "./command.ts";
import { type Declaration, type Door, readDoor } from "./declarations.ts";
import { keepGenerated } from "./generated.ts";
import { codeBlock } from "./markdown.ts";

async function keepReport(check: boolean): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-api-"));
  try {
    const compiled = await runCommand(
      [...TSC, "-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder],
      { quiet: true },
    );
    const sections = packageDoors().map(([name, path]) => {
      if (!existsSync(join(folder, path)))
        throw new Error(`${name}: ${path} could not be generated:\n${compiled.output}`);
      return doorSection(
        name,
        readDoor(path, (module) => readOrNull(join(folder, module))),
      );
    });
    const text = `${[HEAD, ...sections].join("\n\n")}\n`;
    return keepGenerated([{ path: "docs/api.md", text }], check, "node tools/api-report.ts");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const HEAD = `<!-- Written by \`node tools/api-report.ts\` from the sources; do not edit. -->

# Public API of the library

Users of the library notice any change on this page: describe it in CHANGELOG.md.`;

interface PackageExports {
  name: string;
  exports: Record<string, string | { types: string }>;
}

/** The entry points in package.json: the name to import, and the declaration file in dist. */
function packageDoors(): [name: string, path: string][] {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageExports;
  return Object.entries(exports).flatMap(([door, target]): [string, string][] =>
    typeof target === "string" ? [] : [[name + door.slice(1), target.types.replace(/^\.\/dist\//, "")]],
  );
}

function doorSection(name: string, { exported, reached }: Door): string {
  const parts = [`## ${name}`, ...exported.map((entry) => declarationSection(entry.name, entry.declaration))];
  if (reached.length > 0) {
    parts.push("### Not exported, but part of the above", ...reached.map((entry) => declarationSection("", entry)));
  }
  return parts.join("\n\n");
}

function declarationSection(name: string, { text, name: declared }: Declaration): string {
  const renamed = name !== "" && name !== declared ? `// exported as ${name}\n` : "";
  return codeBlock("ts", renamed + text);
}

function readOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
process.exitCode = (await keepReport(values.check)) ? 0 : 1;
