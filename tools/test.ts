/** `npm test`: services, checks, then every test; the last line is the counts. `npm test -- --help` lists the options. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHECKS, runCheck } from "./checks.ts";
import { ROOT } from "./command.ts";
import { findTests, runTests } from "./run-tests.ts";
import { ensureServices } from "./services.ts";
import { type Counts, closingLine, countsOf, fileReport, isGood } from "./test-report.ts";

const HELP = `npm test -- [options] [files or patterns]
  --check  run only the checks: lint, types, the web app, layers, API report, docs
  --fast   run only the tests next to the sources; no checks, no installation
  --help

Without arguments: installs what the tests need where it can (npm packages; Debian packages as root), then checks lint, types,
the web app, layers, API report and docs, then runs all tests. Each check counts as one test.`;

const UNIT_TESTS = ["src/**/*.test.ts", "ui/src/**/*.test.ts", "tools/**/*.test.ts"];
/** The long ones first, so that none of them runs alone at the end. */
const ALL_TESTS = ["test/**/*.test.ts", ...UNIT_TESTS];

/** Longer than the longest test takes on a busy two-core machine. The limit per file is longer, so that the test is named. */
const TEST_MS = 540_000;
const FILE_MS = 600_000;

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean" }, fast: { type: "boolean" }, help: { type: "boolean" } },
  allowPositionals: true,
});

if (values.help) console.log(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  // Only this kind of warning: node:sqlite would print one in every process that a test starts.
  process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --disable-warning=ExperimentalWarning`.trim();
  // Tests compare what the programs that they start print.
  delete process.env["FORCE_COLOR"];
  // Sources are compiled once, not in each of hundreds of processes.
  process.env["NODE_COMPILE_CACHE"] ??= join(ROOT, "node_modules/.cache/compiled");
  if (values.check) return close(await runChecks());
  const whole = !values.fast && positionals.length === 0;
  const servicesReady = !whole || (await ensureServices());
  const checked = whole ? await runChecks() : { passed: 0, failed: 0, skipped: 0 };
  const unmatched = positionals.filter((pattern) => findTests([pattern]).length === 0);
  const files = findTests(positionals.length > 0 ? positionals : values.fast ? UNIT_TESTS : ALL_TESTS);
  const results = await runTests(files, {
    // One more than the number of processors: many files wait for servers and child processes.
    concurrency: Math.min(4, availableParallelism() + 1),
    testMs: TEST_MS,
    fileMs: FILE_MS,
    onFile: (result) => console.log(fileReport(result)),
  });
  const tested = countsOf(results);
  const counts: Counts = {
    passed: checked.passed + tested.passed,
    failed: checked.failed + tested.failed + unmatched.length + (servicesReady ? 0 : 1),
    skipped: tested.skipped,
  };
  const failed = results.filter(({ failures }) => failures.length > 0);
  // Repeated at the end, where people look, and where truncated logs still have it.
  if (failed.length > 0) console.log(["\nFailed:", ...failed.map(fileReport)].join("\n"));
  // A misspelt name must not pass for success.
  for (const pattern of unmatched) console.log(`No test file matches ${pattern}`);
  return close(counts);
}

function close(counts: Counts): boolean {
  console.log(`\n${closingLine(counts)}`);
  return isGood(counts);
}

/** A failed check stops neither the others nor the tests: one run reports everything there is to fix. */
async function runChecks(): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const check of CHECKS) counts[(await runCheck(check)) ? "passed" : "failed"]++;
  return counts;
}
