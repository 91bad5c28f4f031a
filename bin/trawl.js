#!/usr/bin/env node
/**
 * Starts Trawl on Node 24 or newer. On an older Node it starts itself again on the one that npm installed beside it.
 * Plain JavaScript that old versions of Node can read.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const LEAST_NODE = 24;
/**
 * A crawl makes much short-lived garbage, and V8 by itself lets that grow to several times what is in use. It takes
 * these at start only. (Measured by bench/memory.ts.)
 */
const V8_FLAGS = ["--max-semi-space-size=2", "--heap-growing-percent=30"];
/** glibc keeps what each thread's arena once held, and keeps large blocks once freed: one arena, and large blocks apart. */
const MALLOC = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: String(2 ** 18) };
const script = fileURLToPath(import.meta.url);
const root = dirname(dirname(script));

if (Number(process.versions.node.split(".")[0]) < LEAST_NODE) restart();
else if (process.execve && !process.execArgv.includes(V8_FLAGS[0])) replace();
else await run();

async function run() {
  silenceKnownWarnings();
  nodeModule.enableCompileCache();
  const checkout = existsSync(join(root, "src"));
  const { main } = await import(checkout ? "../src/transports/cli/main.ts" : "../dist/transports/cli/main.js");
  process.exit(await main(process.argv.slice(2), process, process.env));
}

/** The same process, with our flags and settings. */
function replace() {
  silenceKnownWarnings();
  const started = [process.execPath, ...process.execArgv, ...V8_FLAGS, script, ...process.argv.slice(2)];
  process.execve(process.execPath, started, { ...MALLOC, ...process.env });
}

/** SQLite and type stripping are what we stand on; that they were new in early versions of Node 24 is no news to users. */
function silenceKnownWarnings() {
  const emit = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const text = String(warning?.message ?? warning);
    if (/^(SQLite|Type Stripping|process\.execve) is an experimental feature/.test(text)) return;
    emit.call(process, warning, ...rest);
  };
}

function restart() {
  const node = process.env.TRAWL_RESTARTED ? undefined : ownNode();
  if (node === undefined) {
    console.error(`error: Trawl needs Node ${LEAST_NODE} or newer; this is ${process.version}.`);
    console.error(
      "hint: Install it from https://nodejs.org, or run `npm install` here, which brings one along for most machines.",
    );
    process.exit(1);
  }
  const child = spawn(node, [...V8_FLAGS, script, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, TRAWL_RESTARTED: "1" },
  });
  const pass = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, pass);
  child.on("error", (error) => {
    console.error(`error: ${node} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** The Node that npm installed: linked by npm in a checkout, or in the package for this platform. */
function ownNode() {
  const program = process.platform === "win32" ? "node.exe" : "node";
  const platform = process.platform === "win32" ? "win" : process.platform;
  const require = nodeModule.createRequire(import.meta.url);
  const candidates = [join(root, "node_modules", ".bin", program)];
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      candidates.push(join(dirname(require.resolve(`${name}/package.json`)), "bin", program));
    } catch {
      // There is no such package for this platform.
    }
  }
  return candidates.find((path) => existsSync(path));
}
