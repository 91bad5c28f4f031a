/** The checks that run before the tests: each is a command that must succeed. */
import { BIOME, runCommand, script, TSC } from "./command.ts";
import { mark } from "./test-report.ts";

export interface Check {
  name: string;
  command: string[];
  /** The command that fixes it, where there is one. */
  fix?: string;
}

export const CHECKS: readonly Check[] = [
  { name: "lint and format", command: [...BIOME, "check", "."], fix: "npm run format" },
  { name: "types", command: [...TSC, "-p", "tsconfig.json"] },
  { name: "types of the web app", command: [...TSC, "-p", "ui/tsconfig.json"] },
  { name: "web app builds", command: script("tools/build-ui.ts") },
  {
    name: "HTML engine is compiled",
    command: script("tools/build-engine.ts", "--check"),
    fix: "npm run build:engine",
  },
  { name: "layers", command: script("tools/layers.ts") },
  { name: "API report", command: script("tools/api-report.ts", "--check"), fix: "node tools/api-report.ts" },
  { name: "generated docs", command: script("tools/docs.ts", "--check"), fix: "npm run docs" },
];

export async function runCheck({ name, command, fix }: Check): Promise<boolean> {
  const { exitCode, output } = await runCommand(command, { quiet: true });
  const good = exitCode === 0;
  console.log(`${mark(good)} ${name}`);
  // A check that passes may still print something: the layer check has warnings.
  if (output.trim() !== "" && (!good || output.includes("warning"))) console.log(output.trimEnd());
  if (!good && fix !== undefined) console.log(`  \`${fix}\` fixes what can be fixed automatically.`);
  return good;
}
