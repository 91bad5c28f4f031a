/** `npm run mutants`: breaks the program on purpose, one defect at a time, and fails when the tests do not notice. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./command.ts";
import { MUTANTS } from "./mutants/list.ts";
import { MUTANTS_PAGE, mutantsPage, resultRow, rowsOf } from "./mutants/mutants-page.ts";
import { firstFailure, type MutantResult, type Placed, placeMutants, tryMutant } from "./mutants/run-mutants.ts";
import { ScratchCopy } from "./mutants/scratch-copy.ts";
import { mark } from "./test-report.ts";

const HELP = `npm run mutants -- [options] [words]
  --write  writes the results to ${MUTANTS_PAGE}; with words, the rows of the others stay
  --jobs   mutants to try at once; 2 by default
  --help

With words, only mutants whose name contains one of them are tried.`;

const { values, positionals: words } = parseArgs({
  options: { write: { type: "boolean" }, jobs: { type: "string", default: "2" }, help: { type: "boolean" } },
  allowPositionals: true,
});

if (values.help) console.log(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const all = placeMutants(MUTANTS);
  const mutants = all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const results = await tryAll(mutants, Number(values.jobs));
  if (results === null) return false;
  const survivors = results.filter(({ killedBy }) => killedBy === null);
  if (values.write) writePage(all, results);
  console.log(`\n${results.length - survivors.length} of ${results.length} killed`);
  for (const { mutant } of survivors) console.log(`Survived: ${mutant.name} (${mutant.file})`);
  return survivors.length === 0 && results.length > 0;
}

function writePage(all: readonly Placed[], results: readonly MutantResult[]): void {
  const path = join(ROOT, MUTANTS_PAGE);
  const rows = rowsOf(readFileSync(path, "utf8"));
  for (const result of results) rows.set(result.mutant.name, resultRow(result));
  writeFileSync(path, mutantsPage(all.flatMap(({ name }) => rows.get(name) ?? [])));
}

/** In the order of the list; null when the tests fail without a mutant. */
async function tryAll(mutants: readonly Placed[], jobs: number): Promise<MutantResult[] | null> {
  const results: MutantResult[] = [];
  const waiting = mutants.entries();
  const copies = Array.from({ length: jobs }, () => new ScratchCopy());
  try {
    const healthy = [...new Set(mutants.flatMap(({ testFiles }) => testFiles))];
    const broken = await firstFailure(healthy, copies[0]!.folder);
    if (broken !== null) {
      console.log(`Without any mutant a test fails: ${broken}`);
      return null;
    }
    await Promise.all(
      copies.map(async ({ folder }) => {
        for (const [index, mutant] of waiting) {
          const result = await tryMutant(mutant, folder);
          results[index] = result;
          const { killedBy, seconds } = result;
          console.log(`${mark(killedBy !== null)} ${mutant.name}  ${killedBy ?? "SURVIVED"}  ${seconds.toFixed(1)} s`);
        }
      }),
    );
  } finally {
    for (const copy of copies) copy[Symbol.dispose]();
  }
  return results;
}
