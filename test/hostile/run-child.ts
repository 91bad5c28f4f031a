/** Runs a crawl in a child process, so that its memory is that of the crawl alone, and ends it when it hangs. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface ChildEnd {
  /** The most memory that it used. */
  rssMb: number;
  /** Sockets that were still open when the crawl had ended. */
  sockets: number;
}

/** Below the runner's limit, so that the case that hangs is named. */
const HUNG_SECONDS = 480;

/** As bin/trawl.js starts the program: without these, a busy machine lets V8 collect so late that memory says nothing. */
const V8_FLAGS = ["--max-semi-space-size=2"];
const MALLOC = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: String(2 ** 18) };

/** `script` beside this file gets `input` as JSON, and its last word is JSON too. `folder` is for temporary files. */
export async function runChild<Result>(
  script: string,
  input: object,
  { folder, whenHung }: { folder: string; whenHung: () => string },
): Promise<Result & ChildEnd> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...V8_FLAGS, path, JSON.stringify(input)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...MALLOC, TMPDIR: folder },
  });
  const guard = setTimeout(() => child.kill("SIGKILL"), HUNG_SECONDS * 1_000);
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  clearTimeout(guard);
  if (signal === "SIGKILL") assert.fail(`not finished after ${HUNG_SECONDS} s: ${whenHung()}`);
  assert.equal(code, 0);
  return JSON.parse(output) as Result & ChildEnd;
}

/** What the child says last. */
export function endChild(result: object): void {
  const sockets = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap" || name === "TLSWrap");
  const rssMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(JSON.stringify({ ...result, rssMb, sockets: sockets.length }));
}
