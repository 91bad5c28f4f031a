/** Checks the source tree against its rules and prints what breaks them. Exits with 1 if anything does. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./command.ts";
import { checkSources } from "./layer-rules.ts";

const files = globSync(["src/**/*.{ts,md}", "{bin,test,examples}/**/*.{js,ts}"], { cwd: ROOT })
  .map((path) => path.replaceAll("\\", "/"))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const { errors, warnings } = checkSources(files);
for (const line of warnings) console.log(`warning: ${line}`);
for (const line of errors) console.error(line);
process.exitCode = errors.length === 0 ? 0 : 1;
