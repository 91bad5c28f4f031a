/**
 * Servers: how many requests a connection may send before the first of them is answered. Node answers all that arrive in one
 * piece at once, so a client that never waits could have thousands under way. Browsers and most programs wait for each answer.
 */
import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";

const MOST = 16;

/** Ends a connection that sends more. */
export function withoutFloods(listener: RequestListener): RequestListener {
  const underWay = new WeakMap<Socket, number>();
  const add = ({ socket }: IncomingMessage, count: number): number => {
    const sum = (underWay.get(socket) ?? 0) + count;
    underWay.set(socket, sum);
    return sum;
  };
  return (request, response) => {
    if (add(request, 1) > MOST) {
      request.socket.destroy();
      return;
    }
    response.once("close", () => add(request, -1));
    listener(request, response);
  };
}
