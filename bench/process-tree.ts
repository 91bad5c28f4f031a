/** Memory and processor time of a process and its descendants, as reported by Linux in /proc. */
import { readFileSync } from "node:fs";

/** Linux counts processor time for user space in hundredths of a second on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

export interface Memory {
  /** Resident bytes of the whole tree now. */
  resident: number;
  /** The highest resident size of any process in the tree so far, as recorded by the kernel. */
  highest: number;
}

export function treeMemory(pid: number): Memory {
  const total: Memory = { resident: 0, highest: 0 };
  for (const member of tree(pid)) {
    const status = read(`/proc/${member}/status`);
    total.resident += kibibytes(status, "VmRSS");
    total.highest = Math.max(total.highest, kibibytes(status, "VmHWM"));
  }
  return total;
}

/** Processor seconds of all descendants of this process that have ended. Take it before and after one child. */
export function endedChildrenSeconds(): number {
  const stat = read("/proc/self/stat");
  // The name in brackets may contain spaces; cutime and cstime are the 14th and 15th fields after it (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

function tree(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(tree)];
}

function kibibytes(status: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status);
  return match ? Number(match[1]) * 1024 : 0;
}

/** A process may end between two reads. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
