/**
 * Loaded into a worker before anything else: writes down when each request leaves, where it is made, one line at once, so that
 * `kill -9` loses none. With TRAWL_PROOF_JUMP, this process's time of day jumps by up to that many seconds every few seconds.
 */
import { subscribe } from "node:diagnostics_channel";
import { openSync, writeSync } from "node:fs";

interface SentHeaders {
  request: { origin: string; path: string };
  socket: { localPort?: number };
}

const file = openSync(process.env["TRAWL_PROOF_LOG"]!, "a");

subscribe("undici:client:sendHeaders", (message) => {
  const { request, socket } = message as SentHeaders;
  const at = Number(process.hrtime.bigint() / 1000n) / 1000;
  writeSync(
    file,
    `${at} ${process.pid} ${socket.localPort ?? 0} ${new URL(request.origin).hostname} ${request.path}\n`,
  );
});

const jump = Number(process.env["TRAWL_PROOF_JUMP"] ?? 0) * 1_000;
if (jump > 0) {
  const { now } = Date;
  let by = 0;
  Date.now = () => now() + by;
  setInterval(() => {
    by = Math.round((Math.random() * 2 - 1) * jump);
  }, 4_000).unref();
}
