/**
 * How a second `trawl desktop` reaches the first: a socket on loopback that takes one word, "focus".
 *
 * Its address and secret are in a note in the window's folder, which only this user can read. A loopback port instead
 * of a socket file, because paths of those have a limit that data folders may pass.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readServerNote, removeServerNote, writeServerNote } from "../http/server-note.ts";
import { newToken, Tokens } from "../http/tokens.ts";

/** Who is there answers at once. */
const PATIENCE_MS = 5_000;
const FOCUS_PATH = "/focus";

export interface ControlChannel {
  close(): Promise<void>;
}

/** `onFocus` says whether there is a window, or will be one. */
export async function openControlChannel(folder: string, onFocus: () => Promise<boolean>): Promise<ControlChannel> {
  const tokens = new Tokens(newToken());
  const server = createServer(async (request, response) => {
    // The sender ends with its answer: a connection that is kept would hold the closing back.
    response.setHeader("connection", "close");
    const { method, url, headers } = request;
    const isKnown = tokens.isAuthorized({ authorization: headers.authorization ?? null, cookie: undefined });
    if (!isKnown || method !== "POST" || url !== FOCUS_PATH) {
      response.writeHead(404).end();
      return;
    }
    // A window that closes at this moment must not be taken for one that stays.
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

/** Whether the window of this folder was there and came to the front. */
export async function askForFocus(folder: string): Promise<boolean> {
  const note = readServerNote(folder);
  if (note === null) return false;
  try {
    const answer = await fetch(note.url + FOCUS_PATH, {
      method: "POST",
      headers: { authorization: `Bearer ${note.token}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answer.status === 204;
  } catch {
    // A note that a crash left behind leads nowhere.
    return false;
  }
}
