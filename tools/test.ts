/** `npm test`: services, checks, then every test; the last line is the counts. `npm test -- --help` tells the options. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHECKS, runCheck } from "./checks.ts";
import { ROOT } from "./command.ts";
import { findTests, runTests } from "./run-tests.ts";
import { ensureServices } from "./services.ts";
import { type Counts, closingLine, countsOf, fileReport, isGood } from "./test-report.ts";

const HELP = `npm test -- [options] [files or patterns]
  --check  only the checks: lint, types, the web app, layers, API report, docs
  --fast   only the tests beside the sources; no checks, nothing is installed
  --help

Without arguments: what tests need is installed where that can be done (npm packages; Debian packages as root), then lint,
types, the web app, layers, API report and docs are checked, then all tests run. Each check counts as one test.`;

const UNIT_TESTS = ["src/**/*.test.ts", "ui/src/**/*.test.ts", "tools/**/*.test.ts"];
/** The long ones first, so that none of them runs alone at the end. */
const ALL_TESTS = ["test/**/*.test.ts", ...UNIT_TESTS];

/** Longer than the longest test takes on a busy machine of two cores; the file's limit lets the test's speak first. */
const TEST_MS = 240_000;
const FILE_MS = 300_000;

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean" }, fast: { type: "boolean" }, help: { type: "boolean" } },
  allowPositionals: true,
});

if (values.help) console.log(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  // Only this kind of warning, and only here: node:sqlite would print one in every process that a test starts.
  process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --disable-warning=ExperimentalWarning`.trim();
  // Sources are read and compiled once, not in every one of hundreds of processes: a third of the suite's processor time.
  process.env["NODE_COMPILE_CACHE"] ??= join(ROOT, "node_modules/.cache/compiled");
  if (values.check) return close(await runChecks());
  const whole = !values.fast && positionals.length === 0;
  const servicesReady = !whole || (await ensureServices());
  const checked = whole ? await runChecks() : { passed: 0, failed: 0, skipped: 0 };
  const unmatched = positionals.filter((pattern) => findTests([pattern]).length === 0);
  const files = findTests(positionals.length > 0 ? positionals : values.fast ? UNIT_TESTS : ALL_TESTS);
  const results = await runTests(files, {
    // One more than there are processors: many files wait for servers and processes of their own.
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
  // Once more at the end, where it is looked for, and where logs that are cut short still have it.
  if (failed.length > 0) console.log(["\nFailed:", ...failed.map(fileReport)].join("\n"));
  // A slip in a name must not pass for success.
  for (const pattern of unmatched) console.log(`No test file matches ${pattern}`);
  return close(counts);
}

function close(counts: Counts): boolean {
  console.log(`\n${closingLine(counts)}`);
  return isGood(counts);
}

/** Checks do not stop each other, nor the tests: one run tells all there is to mend. */
async function runChecks(): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const check of CHECKS) counts[(await runCheck(check)) ? "passed" : "failed"]++;
  return counts;
}
