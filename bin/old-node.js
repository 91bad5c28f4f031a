/** Starts Trawl again on a newer Node: the one that npm installed beside it. Old versions of Node can read this. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./trawl.js", import.meta.url));

/**
 * Signals that are not passed on: those that no program can catch, those by which the system reports a fault of this
 * process itself, and those that Node needs.
 */
const OWN_SIGNALS = [
  "KILL",
  "STOP",
  "SEGV",
  "BUS",
  "FPE",
  "ILL",
  "TRAP",
  "SYS",
  "CHLD",
  "PROF",
  "PIPE",
  "TTIN",
  "TTOU",
];

/** Ctrl-C in a terminal reaches the child as well. It is passed on only if the child does not say so within this time. */
const REPORT_MS = 50;
/** By then, a signal that reached the child belongs to an earlier Ctrl-C, or to somebody who sent it to the child only. */
const SAME_PRESS_MS = 2_000;

export function restart(leastNode, flags, settings) {
  const node = process.env.TRAWL_RESTARTED ? undefined : ownNode();
  if (node === undefined) {
    console.error(`error: Trawl needs Node ${leastNode} or newer; this is ${process.version}.`);
    console.error(
      "hint: Install it from https://nodejs.org, or run `npm install` here, which brings one along for most machines.",
    );
    process.exit(1);
  }
  const child = spawn(node, [...flags, script, ...process.argv.slice(2)], {
    // Through the channel the child reports the signals it gets, and notices the end of this process, however it ends.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...settings, ...process.env, TRAWL_RESTARTED: "1" },
  });
  passSignals(child);
  child.on("error", (error) => {
    console.error(`error: ${node} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", endAs);
}

function passSignals(child) {
  const pass = (signal) => child.kill(signal);
  const special = { SIGINT: passOnce(child), SIGTSTP: stopWith(child) };
  for (const signal of Object.keys(constants.signals)) {
    if (OWN_SIGNALS.includes(signal.slice("SIG".length))) continue;
    try {
      process.on(signal, special[signal] ?? pass);
    } catch {
      // Not a signal that Node can listen to on this system.
    }
  }
}

/** Of a Ctrl-C that reached both processes, the child must see only one: a second would mean "stop at once". */
function passOnce(child) {
  let reports = [];
  let passed = 0;
  child.on("message", (signal) => {
    if (signal !== "SIGINT") return;
    if (passed > 0) passed--;
    else reports.push(Date.now());
  });
  const hasIt = () => {
    reports = reports.filter((at) => Date.now() - at < SAME_PRESS_MS);
    return reports.shift() !== undefined;
  };
  const pass = () => {
    if (!hasIt() && child.kill("SIGINT")) passed++;
  };
  return () => void (hasIt() || setTimeout(pass, REPORT_MS));
}

/**
 * Ctrl-Z stops both, so that the shell sees a stopped job. SIGCONT is passed on like any other signal. SIGSTOP, because the
 * system drops SIGTSTP for a process group that no shell watches, and one process would stop without the other.
 */
const stopWith = (child) => () => {
  child.kill("SIGSTOP");
  process.kill(process.pid, "SIGSTOP");
};

/** Ends as the child did: with its exit code, or by the same signal. */
function endAs(code, signal) {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  // Only if this Node does not die of that signal.
  setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1_000);
  process.kill(process.pid, signal);
}

/** The Node that npm installed: linked by npm in a checkout, or in the package for this platform. */
function ownNode() {
  const program = process.platform === "win32" ? "node.exe" : "node";
  const platform = process.platform === "win32" ? "win" : process.platform;
  const require = createRequire(import.meta.url);
  const candidates = [fileURLToPath(new URL(`../node_modules/.bin/${program}`, import.meta.url))];
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      candidates.push(join(require.resolve(`${name}/package.json`), "..", "bin", program));
    } catch {
      // There is no such package for this platform.
    }
  }
  return candidates.find((path) => existsSync(path));
}
