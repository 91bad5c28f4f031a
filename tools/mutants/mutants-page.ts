/** docs/mutants.md: what the last whole run found. */
import { basename } from "node:path";
import type { MutantResult } from "./run-mutants.ts";

export const MUTANTS_PAGE = "docs/mutants.md";

export function mutantsPage(results: readonly MutantResult[]): string {
  const killed = results.filter(({ killedBy }) => killedBy !== null).length;
  const rows = results.map(
    ({ mutant, killedBy }) =>
      `| ${cell(mutant.name)} | ${basename(mutant.file)} | ${killedBy === null ? "**survived**" : cell(killedBy)} |`,
  );
  return `# Mutants

A check or a limit that can be deleted without a test failing is a missing test. \`npm run mutants\` breaks the program on
purpose, one defect at a time, in a copy of the checkout, and runs the tests that should notice. It fails when a defect
survives, and when the list in \`tools/mutants/list.ts\` no longer fits the sources; \`npm test\` checks the latter too.

${killed} of ${results.length} defects are noticed. Written by \`npm run mutants -- --write\`.

Syncs are not in the list. The file system that \`src/storage\`'s crash tests record drops each sync in turn by itself, loses
or tears what was not synced, and fails when recovery does not notice.

| defect | file | noticed by |
| ------ | ---- | ---------- |
${rows.join("\n")}
`;
}

const cell = (text: string): string => text.replaceAll("\\", "").replaceAll("|", "\\|").replaceAll("<", "&lt;");
