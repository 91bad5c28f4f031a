/** Starts Trawl again on a newer Node: the one that npm installed beside it. Old versions of Node can read this. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./trawl.js", import.meta.url));

export function restart(leastNode, flags) {
  const node = process.env.TRAWL_RESTARTED ? undefined : ownNode();
  if (node === undefined) {
    console.error(`error: Trawl needs Node ${leastNode} or newer; this is ${process.version}.`);
    console.error(
      "hint: Install it from https://nodejs.org, or run `npm install` here, which brings one along for most machines.",
    );
    process.exit(1);
  }
  const child = spawn(node, [...flags, script, ...process.argv.slice(2)], {
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
