/** `server.json` in the data folder: the address of the running server, so that `trawl open` finds it instead of starting another. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { listeningUser } from "../../net/socket-owner.ts";
import { API_ROOT } from "./routes.ts";

const note = z.object({ pid: z.int(), url: z.url(), token: z.string() });
export type ServerNote = z.infer<typeof note>;

/** A server on this machine answers at once, or is no longer running. */
const PATIENCE_MS = 3_000;

const path = (home: string): string => join(home, "server.json");

export function writeServerNote(home: string, given: ServerNote): void {
  // It contains the token: no other user of the machine may read it.
  rmSync(path(home), { force: true });
  writeFileSync(path(home), `${JSON.stringify(given)}\n`, { mode: 0o600 });
}

export function readServerNote(home: string): ServerNote | null {
  try {
    return note.parse(JSON.parse(readFileSync(path(home), "utf8")));
  } catch {
    // Missing, or left half-written by a crash: then no server is known.
    return null;
  }
}

/** Removes it, unless another server has replaced it since. */
export function removeServerNote(home: string, pid: number): void {
  if (readServerNote(home)?.pid === pid) rmSync(path(home), { force: true });
}

/** The server of this data folder, if it still answers, with a way to sign in once. */
export async function findServer(home: string): Promise<{ signInUrl(path: string): Promise<string> } | null> {
  const known = readServerNote(home);
  // Somebody else may listen at the address of a server that has ended, and must not be sent its token.
  if (known === null || !isOwnProcess(known.pid) || !isOwnAddress(known.url)) return null;
  const headers = { authorization: `Bearer ${known.token}` };
  const ask = (path: string, method = "GET") =>
    fetch(known.url + path, { method, headers, redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
  try {
    if (!(await ask(`${API_ROOT}/version`)).ok) return null;
  } catch {
    return null;
  }
  return {
    async signInUrl(path) {
      const address = new URL(path, known.url);
      const { token } = (await (await ask("/sign-in", "POST")).json()) as { token: string };
      address.searchParams.set("token", token);
      return address.href;
    },
  };
}

/** Another program may have been given that process id since. */
function isOwnAddress(url: string): boolean {
  const { hostname, port } = new URL(url);
  const user = listeningUser({ address: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 80) });
  return user === null || user === process.getuid?.();
}

/** Whether it runs, as this user. */
function isOwnProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
