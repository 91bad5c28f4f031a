/** The checks that come before the tests: each is a command that must end well. */
import { BIOME, runCommand, script, TSC } from "./command.ts";
import { mark } from "./test-report.ts";

export interface Check {
  name: string;
  command: string[];
  /** What mends it, where a command does. */
  mend?: string;
}

export const CHECKS: readonly Check[] = [
  { name: "lint and format", command: [...BIOME, "check", "."], mend: "npm run format" },
  { name: "types", command: [...TSC, "-p", "tsconfig.json"] },
  { name: "types of the web app", command: [...TSC, "-p", "ui/tsconfig.json"] },
  { name: "web app builds", command: script("tools/build-ui.ts") },
  {
    name: "HTML engine is compiled",
    command: script("tools/build-engine.ts", "--check"),
    mend: "npm run build:engine",
  },
  { name: "layers", command: script("tools/layers.ts") },
  { name: "API report", command: script("tools/api-report.ts", "--check"), mend: "node tools/api-report.ts" },
  { name: "generated docs", command: script("tools/docs.ts", "--check"), mend: "npm run docs" },
];

export async function runCheck({ name, command, mend }: Check): Promise<boolean> {
  const { exitCode, output } = await runCommand(command, { quiet: true });
  const good = exitCode === 0;
  console.log(`${mark(good)} ${name}`);
  // A check that passes may still have something to say: the layer check's warnings.
  if (output.trim() !== "" && (!good || output.includes("warning"))) console.log(output.trimEnd());
  if (!good && mend !== undefined) console.log(`  \`${mend}\` mends what can be mended by itself.`);
  return good;
}
