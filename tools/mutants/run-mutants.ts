/** Finds the file of each mutant, applies it, runs its tests, and reports which tests noticed it. */
import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../command.ts";
import { findTests } from "../run-tests.ts";
import type { Mutant } from "./list.ts";

/** Catches a mutant that makes a test wait forever. */
const LIMIT_MS = 300_000;

export interface Placed extends Mutant {
  file: string;
  testFiles: readonly string[];
}

export interface MutantResult {
  mutant: Placed;
  /** The first test that failed; null when all passed. */
  killedBy: string | null;
  seconds: number;
}

/** Where each mutant applies. Throws an error that names every entry that does not match the sources. */
export function placeMutants(mutants: readonly Mutant[]): Placed[] {
  const sources = globSync("src/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts", "**/testing/**"] }).map((file) => ({
    file,
    text: readFileSync(join(ROOT, file), "utf8"),
  }));
  const problems: string[] = [];
  const placed = mutants.flatMap((mutant): Placed[] => {
    const found = sources.flatMap(({ file, text }) => new Array<string>(text.split(mutant.find).length - 1).fill(file));
    const testFiles = findTests(mutant.tests);
    if (found.length !== 1) problems.push(`${mutant.name}: its text occurs ${found.length} times ${found.join(", ")}`);
    for (const pattern of mutant.tests) {
      if (findTests([pattern]).length === 0) problems.push(`${mutant.name}: no test file matches ${pattern}`);
    }
    return found.length === 1 ? [{ ...mutant, file: found[0]!, testFiles }] : [];
  });
  if (problems.length > 0) throw new Error(`tools/mutants/list.ts is out of date:\n${problems.join("\n")}`);
  return placed;
}

/** Applies the mutant to a copy of the checkout, runs its tests, and undoes the change. */
export async function tryMutant(mutant: Placed, folder: string): Promise<MutantResult> {
  const path = join(folder, mutant.file);
  const original = readFileSync(path, "utf8");
  const began = performance.now();
  // A function, so that "$" in the replacement has no special meaning.
  writeFileSync(
    path,
    original.replace(mutant.find, () => mutant.replace),
  );
  try {
    const killedBy = await firstFailure(mutant.testFiles, folder, LIMIT_MS);
    return { mutant, killedBy, seconds: (performance.now() - began) / 1000 };
  } finally {
    writeFileSync(path, original);
  }
}

/** The name of the first test that fails; null when all pass. Without a limit it waits as long as they take. */
export function firstFailure(testFiles: readonly string[], folder: string, limitMs = 0): Promise<string | null> {
  const parameters = ["--disable-warning=ExperimentalWarning", "--test", "--test-reporter=tap", ...testFiles];
  // Node refuses to run tests inside a test, and this process may be a test.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const options = { cwd: folder, env, timeout: limitMs, killSignal: "SIGKILL", maxBuffer: 1 << 28 } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, options, (error, stdout) => {
      if (error === null) return resolve(null);
      if (error.killed) return resolve("the time limit");
      const failed = /^\s*not ok \d+ - (.*)$/m.exec(stdout)?.[1];
      resolve(failed ?? "the start of the tests");
    });
  });
}
