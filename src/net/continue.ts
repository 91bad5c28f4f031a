/**
 * Lets `100 Continue` pass that nobody asked for. RFC 9110 section 15.2 has a client pass over any 1xx before the answer;
 * undici does, save for 100, at which it breaks the connection. So it is shown 102 instead, which says as little.
 */
import type { Socket } from "node:net";

/** `awaitsHeaders`: what is read next is a status line, and not part of a body that only looks like one. */
export function hideContinue(socket: Socket, awaitsHeaders: () => boolean): void {
  const read = socket.read;
  socket.read = (size) => {
    const chunk = read.call(socket, size);
    if (chunk !== null && awaitsHeaders()) renumberContinue(chunk);
    return chunk;
  };
}

/** Changes every `100` at the front. A status line cut in two is not recognised: no server is known to send one so. */
function renumberContinue(bytes: Buffer): void {
  const [one, zero] = [0x31, 0x30];
  for (let start = 0; bytes[start + 9] === one; ) {
    if (bytes.toString("latin1", start, start + 7) !== "HTTP/1.") return;
    if (bytes[start + 10] === zero && bytes[start + 11] === zero) bytes[start + 11] = 0x32;
    const end = bytes.indexOf("\r\n\r\n", start);
    if (end < 0) return;
    start = end + 4;
  }
}
