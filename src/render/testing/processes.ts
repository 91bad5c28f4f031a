/** The processes of a browser, found by the group they are in and by the profile in their command line. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Zombies are dead; who started them has only not looked yet. */
export function browserProcesses(group: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const [state, , groupId] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(groupId) === group && state !== "Z";
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits for a condition that another process brings about. */
export async function eventually(condition: () => boolean, ms = 10_000): Promise<boolean> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}
