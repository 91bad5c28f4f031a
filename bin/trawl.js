#!/usr/bin/env node
/**
 * Starts Trawl on Node 24 or newer. On an older Node it starts itself again on the one that npm installed beside it.
 * Plain JavaScript that old versions of Node can read. It may run twice, so it loads nothing that it does not need.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LEAST_NODE = 24;
/**
 * A crawl makes much short-lived garbage, and V8 by itself lets that grow to several times what is in use. It takes
 * this at start only. (Measured by bench/memory.ts.)
 */
const V8_FLAGS = ["--max-semi-space-size=2"];
/**
 * The same for what lives longer; V8 reads it at each collection. Compiled code is kept, Node's own included, for the
 * flags it was compiled under: set at the start, this one would have all of it compiled again in every run.
 */
const HEAP_GROWTH = "--heap-growing-percent=100";
/** By then all is loaded, and nothing large collected yet. */
const HEAP_GROWTH_AFTER_MS = 1_000;
/** glibc keeps what each thread's arena once held, and keeps large blocks once freed: one arena, and large blocks apart. */
const MALLOC = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: String(2 ** 18) };

const LOOK_FOR_NPX_MS = 500;

/** Commands that crawl nothing: over in a moment, so that starting again would cost more than it saves. */
const LOOKS = [
  "crawls",
  "show",
  "urls",
  "links",
  "why",
  "text",
  "issues",
  "audit",
  "compare",
  "sql",
  "export",
  "robots",
  "config",
  "completion",
  "update",
  "help",
];

if (Number(process.versions.node.split(".")[0]) < LEAST_NODE) {
  const { restart } = await import("./old-node.js");
  restart(LEAST_NODE, V8_FLAGS, MALLOC);
  endWithNpx();
} else if (crawls(process.argv.slice(2)) && process.execve && !process.execArgv.includes(V8_FLAGS[0])) replace();
else await run();

/** Whether what was typed may crawl, or serve for long. */
function crawls(typed) {
  const command = typed.find((word) => !word.startsWith("-"));
  return command !== undefined && !LOOKS.includes(command) && !typed.includes("--help") && !typed.includes("-h");
}

async function run() {
  silenceKnownWarnings();
  if (process.env.TRAWL_RESTARTED) endWithLauncher();
  else endWithNpx();
  process.getBuiltinModule("node:module").enableCompileCache();
  const slowGrowth = () => process.getBuiltinModule("node:v8").setFlagsFromString(HEAP_GROWTH);
  setTimeout(slowGrowth, HEAP_GROWTH_AFTER_MS).unref();
  const isCheckout = existsSync(new URL("../src", import.meta.url));
  const { main } = await import(isCheckout ? "../src/transports/cli/main.ts" : "../dist/cli.js");
  process.exit(await main(process.argv.slice(2), process, process.env));
}

/** Started by old-node.js: its end, even by kill -9, means the same as SIGTERM, so that no crawl goes on unseen. */
function endWithLauncher() {
  // Not for the processes that this one starts.
  delete process.env.TRAWL_RESTARTED;
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}

/** npx starts programs through a shell, and a signal that is sent to npx ends only the two of them: no crawl goes on unseen. */
function endWithNpx() {
  if (process.env.npm_command !== "exec") return;
  const shell = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_FOR_NPX_MS);
  look.unref();
}

/** The same process, with our flags and settings. */
function replace() {
  silenceKnownWarnings();
  const script = fileURLToPath(import.meta.url);
  const started = [process.execPath, ...process.execArgv, ...V8_FLAGS, script, ...process.argv.slice(2)];
  process.execve(process.execPath, started, { ...MALLOC, ...process.env });
}

/** SQLite and type stripping are what we stand on; users need not know that they were new in early versions of Node 24. */
function silenceKnownWarnings() {
  const emit = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const text = String(warning?.message ?? warning);
    if (/^(SQLite|Type Stripping|process\.execve) is an experimental feature/.test(text)) return;
    emit.call(process, warning, ...rest);
  };
}
