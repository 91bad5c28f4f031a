/**
 * A proxy in front of PostgreSQL that cuts the connection around COMMIT, before the server receives it or before its
 * answer arrives.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type Cut = "before" | "after";

const COMMIT = Buffer.from("COMMIT\0");

export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What happens at the next COMMITs; after these, everything passes. */
  readonly #cuts: Cut[] = [];
  cutsMade = 0;

  private constructor(port: number) {
    this.#server = createServer((client) => this.#join(client, connect(port, "127.0.0.1")));
  }

  static async start(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `postgres://trawl@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres`;
  }

  cutNext(...cuts: Cut[]): void {
    this.#cuts.push(...cuts);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    }
    let isDeaf = false;
    client.on("data", (bytes) => {
      const cut = bytes.includes(COMMIT) ? this.#cuts.shift() : undefined;
      if (cut !== undefined) this.cutsMade++;
      if (cut === "before") {
        client.destroy();
        server.destroy();
        return;
      }
      if (cut === "after") isDeaf = true;
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (isDeaf) client.destroy();
      else client.write(bytes);
    });
    client.on("close", () => server.end());
    server.on("close", () => client.destroy());
  }
}
