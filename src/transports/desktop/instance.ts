/**
 * One window per data folder, and how a second start reaches the first. The lock is the operating system's: it ends
 * with its process, so a crash leaves none behind.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { readServerNote, removeServerNote, writeServerNote } from "../http/server-note.ts";
import { newToken, Tokens } from "../http/tokens.ts";

/** How long each attempt waits for the lock. */
const PATIENCE_MS = 250;
/** 10 s in total: enough for a closing window to pause its crawls, and for an opening one to listen. */
const TRIES = 40;

export interface Instance {
  /** Handles a second start that asks for the window. False once it is closing: then the other waits, and opens its own. */
  onFocus: () => Promise<boolean>;
  close(): Promise<void>;
}

/** Null when a window is already open: it was then brought to the front. */
export async function claimInstance(folder: string, tries = TRIES): Promise<Instance | null> {
  for (let left = tries; left > 0; left--) {
    const lock = lockFile(join(folder, "lock.db"), PATIENCE_MS);
    if (lock !== null) return startInstance(folder, lock);
    if (await askForFocus(folder)) return null;
  }
  throw new TrawlError("WINDOW_BUSY");
}

async function startInstance(folder: string, lock: FileLock): Promise<Instance> {
  try {
    const channel = await openControlChannel(folder, () => instance.onFocus());
    const instance: Instance = {
      // It is about to open, and will be in front.
      onFocus: async () => true,
      async close() {
        await channel.close();
        lock.release();
      },
    };
    return instance;
  } catch (error) {
    lock.release();
    throw error;
  }
}

// How a second `trawl desktop` reaches the first: a socket on loopback that takes one word, "focus".
// Its address and secret are in a note in the window's folder, which only this user can read. A loopback port instead
// of a socket file, because paths of those have a limit that data folders may pass.

/** A running instance answers at once. */
const ANSWER_WITHIN_MS = 5_000;
const FOCUS_PATH = "/focus";

export interface ControlChannel {
  close(): Promise<void>;
}

/** `onFocus` returns whether there is a window, or will be one. */
export async function openControlChannel(folder: string, onFocus: () => Promise<boolean>): Promise<ControlChannel> {
  const tokens = new Tokens(newToken());
  const server = createServer(async (request, response) => {
    // The sender exits after its answer: a connection that is kept alive would delay closing.
    response.setHeader("connection", "close");
    const { method, url, headers } = request;
    const isKnown = tokens.isAuthorized({ authorization: headers.authorization ?? null, cookie: undefined });
    if (!isKnown || method !== "POST" || url !== FOCUS_PATH) {
      response.writeHead(404).end();
      return;
    }
    // A window that is just closing must not be mistaken for an open one.
    const isThere = await onFocus().catch(() => false);
    response.writeHead(isThere ? 204 : 409).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeServerNote(folder, { pid: process.pid, url, token: tokens.token });
  return {
    async close() {
      removeServerNote(folder, process.pid);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whether the window of this folder was open and came to the front. */
export async function askForFocus(folder: string): Promise<boolean> {
  const note = readServerNote(folder);
  if (note === null) return false;
  try {
    const answer = await fetch(note.url + FOCUS_PATH, {
      method: "POST",
      headers: { authorization: `Bearer ${note.token}` },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return answer.status === 204;
  } catch {
    // The note was left behind by a crash.
    return false;
  }
}
