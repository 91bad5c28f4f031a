/** What was made for clients that have not taken it: whoever asks for much and reads nothing must not fill memory. */
import type { ServerResponse } from "node:http";
import { XrpcError } from "./xrpc-methods.ts";

const AGAIN_AFTER_SECONDS = "10";

export class WaitingBytes {
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts it until the connection is done with it. Throws when too much waits already; one answer may exceed the limit. */
  add(bytes: number, response: Pick<ServerResponse, "setHeader" | "once">): void {
    if (this.#bytes >= this.#most) {
      response.setHeader("retry-after", AGAIN_AFTER_SECONDS);
      throw new XrpcError("RateLimitExceeded", "Other clients have not taken the repos that they asked for.", 503);
    }
    this.#bytes += bytes;
    response.once("close", () => {
      this.#bytes -= bytes;
    });
  }
}
