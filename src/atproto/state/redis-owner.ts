/**
 * Which process crawls with a state in Redis. The claim expires, so that a machine that died keeps nobody out for long; a
 * process that was taken for dead finds its commits refused, and stops.
 */
import { hostname } from "node:os";

/** Longer than any pause of a healthy process; short enough to wait for. */
export const OWNER_EXPIRES_MS = 30_000;
export const OWNER_RENEWED_MS = 10_000;

export interface ProcessName {
  host: string;
  pid: number;
  /** Tells two states of one process apart. */
  token: string;
}

export const thisProcess = (): ProcessName => ({
  host: hostname(),
  pid: process.pid,
  token: Math.random().toString(36).slice(2),
});

export const ownerText = ({ host, pid, token }: ProcessName): string => `${host} ${pid} ${token}`;

/** A claim of this machine whose process is gone need not be waited for. */
export function isDeadOwner(text: string, me: ProcessName, isAlive: (pid: number) => boolean): boolean {
  const [host, pid] = text.split(" ");
  return host === me.host && !isAlive(Number(pid));
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is somebody else's, so it is there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
