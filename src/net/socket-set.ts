/** Every TCP socket of a client, connecting ones included, so that "no socket is open" can be counted and awaited. */
import type { Socket } from "node:net";

export class SocketSet {
  readonly #open = new Set<Socket>();
  #whenEmpty: (() => void)[] = [];

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      for (const resolve of this.#whenEmpty) resolve();
      this.#whenEmpty = [];
    });
  }

  /** Resolves when the last socket has closed. */
  destroyAll(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }
}
