/** An HTTP server on loopback that tracks its sockets, so that closing it leaves none open. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface LoopbackServer {
  /** The origin, without a slash at the end. */
  url: string;
  port: number;
  openSockets(): number;
  /** The most sockets that were ever open at once. */
  peakSockets(): number;
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** 0 lets the system choose. */
  port?: number;
  host?: string;
}

export async function listenOnLoopback(
  listener: RequestListener,
  options: LoopbackOptions = {},
): Promise<LoopbackServer> {
  const host = options.host ?? "127.0.0.1";
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  const sockets = new Set<Socket>();
  let peak = 0;
  server.on("connection", (socket) => {
    sockets.add(socket);
    peak = Math.max(peak, sockets.size);
    socket.once("close", () => sockets.delete(socket));
  });
  await listening(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    openSockets: () => sockets.size,
    peakSockets: () => peak,
    close: async () => {
      const closed = [new Promise<void>((resolve) => server.close(() => resolve()))];
      // Keep-alive sockets would delay close() until they time out.
      for (const socket of sockets) {
        closed.push(new Promise((resolve) => socket.once("close", () => resolve())));
        socket.destroy();
      }
      await Promise.all(closed);
    },
  };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
