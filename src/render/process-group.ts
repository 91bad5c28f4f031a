/** A process and everything it started, as one: who is left of it, and how to end it. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const EXIT_MS = 5_000;

/** Resolves when none of them runs any more. `leader` must have been started as the leader of its own group. */
export async function endGroup(leader: number): Promise<void> {
  // Group 0 would be our own: a browser that never became a process must not take us with it.
  if (leader <= 0) return;
  if (process.platform === "win32") {
    await promisify(execFile)("taskkill", ["/pid", String(leader), "/T", "/F"]).catch(() => {});
    return;
  }
  if (!signalGroup(leader, "SIGKILL")) return;
  const end = performance.now() + EXIT_MS;
  while (isRunning(leader) && performance.now() < end) await sleep(5);
}

function isRunning(leader: number): boolean {
  return process.platform === "linux" ? groupMembers(leader).length > 0 : signalGroup(leader, 0);
}

/** False: nobody is left to be signalled. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Linux only. Without the dead whose parent has not looked yet: in a container that may take seconds. */
export function groupMembers(leader: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // proc(5): the name is in brackets and may hold anything; state and group come after it.
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(group) === leader && state !== "Z" && state !== "X";
      } catch {
        return false; // It ended meanwhile.
      }
    })
    .map(Number);
}
