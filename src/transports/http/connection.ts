/** The connection beneath a request, for what a Response cannot say. */

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** Breaks the connection: the other side learns that the answer is not whole, or that it reads too slowly. */
export function abortConnection(c: Context): void {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  outgoing?.destroy();
}
