/** The connection as an exchange sees it. */
import type { Phases } from "./connection/connector.ts";
import type { Exchange } from "./exchange.ts";
import type { FetchError } from "./fetch-errors.ts";
import type { TlsFacts } from "./http-types.ts";

export interface Carrier {
  /** The time it took to open the connection, for the first request on it; null for later ones. */
  takePhases(): Phases | null;
  readonly httpVersion: "1.1" | "2";
  readonly remoteAddress: string | null;
  readonly tls: TlsFacts | null;
  /** All bytes that the connection has received since it was last idle. */
  readonly bytesRead: number;
  /** Body bytes among them, which the exchanges count. */
  bodyBytes: number;
  /** Requests since then. */
  readonly carried: number;
  /** Through a proxy without a tunnel. */
  readonly forwarded: boolean;
  /** Stops opening the connection, if no other request waits for it. */
  cancel(reason: FetchError): void;
  /** Closes the connection, and fails every request on it. */
  close(reason: FetchError): void;
  /** Sends the same exchange once more, when its host may be asked again. */
  resend(exchange: Exchange): void;
  /**
   * Takes no more requests, and closes when the last one has ended. undici stops reading an HTTP/2 stream without telling
   * every server so: the rest of the body would count against its limit for the connection, and the next requests with it.
   */
  retire(): void;
  /** The exchange no longer needs the connection. */
  release(failed: boolean): void;
}
