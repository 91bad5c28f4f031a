/**
 * What starting costs: the processor time of commands that answer at once, as a multiple of Node's own, and the modules
 * they load. Exits with 1 when a target is missed.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { circumstances, table, writeSection } from "./results.ts";
import { INSTALLED_TRAWL, trawl } from "./trawl.ts";

/** All commands run in turn, several times; the lowest mean counts, so that other load on the machine matters less. */
const ROUNDS = 5;
const RUNS = 4;
/** Target: less than this multiple of Node doing nothing. */
const MOST = 5;
const CHECKOUT = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));

/** Counts the files that a program loads: its own and those of packages. */
const COUNTER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  let own = 0, packages = 0;
  registerHooks({ load(url, context, next) {
    if (url.startsWith("file:")) url.includes("/node_modules/") && !url.includes("/node_modules/trawl/") ? packages++ : own++;
    return next(url, context);
  } });
  process.on("exit", () => process.stderr.write("\\nloaded " + own + " " + packages + "\\n"));
`)}`;

const COMMANDS = [["--version"], ["--help"], ["crawls"], ["show", "last"], ["urls", "last"]];

await trawl().prepare();
const home = mkdtempSync(join(tmpdir(), "trawl-startup-"));
const env = { ...process.env, TRAWL_HOME: home };
const packed = INSTALLED_TRAWL;
try {
  execFileSync(process.execPath, [packed, "demo", "--json"], { env, stdio: "ignore" });
  const measured = leastOf([["-e", "0"], ...COMMANDS.map((typed) => [packed, ...typed])]);
  const node = measured[0]!;
  const rows = COMMANDS.map((typed, index) => {
    const ms = measured[index + 1]!;
    return {
      typed: typed.join(" "),
      ms,
      ratio: ms / node,
      packed: loaded(packed, typed),
      source: loaded(CHECKOUT, typed),
    };
  });
  const text = report(node, rows);
  console.log(text);
  writeSection("startup", text);
  process.exitCode = rows.every(({ ratio }) => ratio < MOST) ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

function leastOf(commands: string[][]): number[] {
  const rounds = Array.from({ length: ROUNDS }, () => commands.map(processorMs));
  return commands.map((_, index) => Math.min(...rounds.map((round) => round[index]!)));
}

/** User and system time of one run, children included, as the shell counts it; the first run fills the compile cache. */
function processorMs(typed: string[]): number {
  // `times` prints the shell's own time, then its children's. In a pipe it would be another shell, without children.
  const loop = '"$@" >/dev/null 2>&1; times; for i in $(seq $RUNS); do "$@" >/dev/null 2>&1; done; times';
  const printed = execFileSync("bash", ["-c", loop, "bash", process.execPath, ...typed], {
    env: { ...env, RUNS: String(RUNS) },
    encoding: "utf8",
  });
  const [, before, , after] = printed.trim().split("\n").map(seconds) as [number, number, number, number];
  return ((after - before) / RUNS) * 1_000;
}

/** `0m1.204s 0m0.310s`: user and system time. */
function seconds(times: string): number {
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
}

function loaded(program: string, typed: string[]): { own: number; packages: number } {
  const script = 'exec "$@" 2>&1 >/dev/null';
  const printed = execFileSync(
    "bash",
    ["-c", script, "bash", process.execPath, "--import", COUNTER, program, ...typed],
    {
      env,
      encoding: "utf8",
    },
  );
  const [, own, packages] = /loaded (\d+) (\d+)/.exec(printed)!;
  return { own: Number(own), packages: Number(packages) };
}

function report(
  node: number,
  rows: {
    typed: string;
    ms: number;
    ratio: number;
    packed: { own: number };
    source: { own: number; packages: number };
  }[],
): string {
  return [
    "## Start-up: processor time, compared with Node doing nothing",
    "",
    `${circumstances(new Date())}, Node ${process.version}; the packed program, the least of ${ROUNDS} rounds of ${RUNS} runs each. \`node -e 0\`: ${node.toFixed(0)} ms.`,
    "",
    table(
      ["", "CPU ms", "times `node -e 0`", "files of the package", "modules in a checkout", "of those, npm's"],
      rows.map(({ typed, ms, ratio, packed, source }) => [
        `\`trawl ${typed}\``,
        ms.toFixed(0),
        ratio.toFixed(2),
        String(packed.own),
        String(source.own + source.packages),
        String(source.packages),
      ]),
    ),
    "",
    `- ${rows.every(({ ratio }) => ratio < MOST) ? "met" : "**not met**"}: under ${MOST} times the processor time of \`node -e 0\``,
  ].join("\n");
}
