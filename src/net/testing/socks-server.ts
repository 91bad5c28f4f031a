/** A SOCKS5 server that connects every name to 127.0.0.1. */
import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface SocksServer {
  url: (credentials?: string) => string;
  /** `type host:port` of every connection asked for. */
  asked: string[];
}

interface Behaviour {
  /** `user:password` that it wants; null for none. */
  wants?: string | null;
  reply?: number;
  /** Sends its answers byte by byte. */
  slowly?: boolean;
}

export async function serveSocks(
  t: TestContext,
  { wants = null, reply = 0, slowly = false }: Behaviour = {},
): Promise<SocksServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    const send = (bytes: number[]) => {
      if (slowly) for (const byte of bytes) socket.write(Buffer.of(byte));
      else socket.write(Buffer.from(bytes));
    };
    let step = 0;
    socket.on("data", (data) => {
      if (step === 0) {
        step = wants === null ? 2 : 1;
        send([5, wants === null ? 0 : data.subarray(2).includes(2) ? 2 : 0xff]);
      } else if (step === 1) {
        const user = data.subarray(2, 2 + data[1]!).toString();
        const password = data.subarray(3 + data[1]!).toString();
        step = 2;
        send([1, `${user}:${password}` === wants ? 0 : 1]);
      } else if (step === 2) {
        step = 3;
        const port = data.readUInt16BE(data.length - 2);
        const host = data[3] === 3 ? data.subarray(5, 5 + data[4]!).toString() : data.subarray(4, -2).join(".");
        asked.push(`${data[3]} ${host}:${port}`);
        if (reply !== 0) return void socket.end(Buffer.of(5, reply, 0, 1, 0, 0, 0, 0, 0, 0));
        const target = connect(port, "127.0.0.1", () => {
          send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]);
          socket.pipe(target).pipe(socket);
        });
        sockets.add(target.on("error", () => socket.destroy()));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: (credentials = "") => `socks5://${credentials}127.0.0.1:${port}`, asked };
}
