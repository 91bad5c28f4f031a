/** The server's side of opening a WebSocket: answers the upgrade of a `node:http` server. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { acceptKey } from "./websocket-client.ts";
import { WebSocketConnection } from "./websocket-connection.ts";

/** Null, and the connection is closed, when this is not the beginning of a WebSocket. */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  largestMessage: number,
): WebSocketConnection | null {
  const key = request.headers["sec-websocket-key"];
  const isOne =
    request.headers.upgrade?.toLowerCase() === "websocket" && request.headers["sec-websocket-version"] === "13";
  if (!isOne || key === undefined || request.method !== "GET") {
    refuseUpgrade(socket, 426, "Upgrade Required");
    return null;
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${acceptKey(key)}\r\n\r\n`,
  );
  return new WebSocketConnection(socket as Socket, head, { side: "server", largestMessage });
}

export function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
