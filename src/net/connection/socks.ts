/** A connection through a SOCKS5 proxy (RFC 1928, with the user name and password of RFC 1929). The proxy resolves names. */
import { isIPv4, isIPv6, type Socket } from "node:net";
import { FetchError } from "../fetch-errors.ts";

export interface SocksCredentials {
  username: string;
  password: string;
}

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const IPV4_BYTES = 4;
const IPV6_BYTES = 16;

/** RFC 1928 section 6. */
const REPLIES: Record<number, string> = {
  1: "general failure",
  2: "connection not allowed",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/** Afterwards the socket is connected to the host. Rejects with `proxy_failed`. */
export async function openSocksTunnel(
  socket: Socket,
  host: string,
  port: number,
  credentials: SocksCredentials | null,
): Promise<Socket> {
  const reader = new SocketReader(socket);
  try {
    await greet(socket, reader, credentials);
    socket.write(Buffer.from([VERSION, CONNECT, 0, ...addressBytes(host), port >> 8, port & 0xff]));
    const [version, reply, , type] = await reader.read(4);
    if (version !== VERSION) throw failed("not a SOCKS5 proxy");
    if (reply !== 0) throw failed(`SOCKS5: ${REPLIES[reply!] ?? `reply ${reply}`}`);
    // The address that the proxy connected from says nothing to us, but it must be read.
    const length = type === IPV4 ? IPV4_BYTES : type === IPV6 ? IPV6_BYTES : (await reader.read(1))[0]!;
    await reader.read(length + 2);
    reader.release();
    return socket;
  } catch (error) {
    reader.release();
    socket.destroy();
    throw error;
  }
}

async function greet(socket: Socket, reader: SocketReader, credentials: SocksCredentials | null): Promise<void> {
  const methods = credentials === null ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await reader.read(2);
  if (version !== VERSION) throw failed("not a SOCKS5 proxy");
  if (method === NO_AUTHENTICATION) return;
  if (method !== PASSWORD || credentials === null) throw failed("SOCKS5: authentication required");
  const [username, password] = [shortBytes(credentials.username), shortBytes(credentials.password)];
  socket.write(Buffer.concat([Buffer.from([1]), username, password]));
  const [, status] = await reader.read(2);
  if (status !== 0) throw failed("SOCKS5: user name or password refused");
}

function addressBytes(host: string): number[] {
  if (isIPv4(host)) return [IPV4, ...host.split(".").map(Number)];
  if (isIPv6(host)) return [IPV6, ...ipv6Bytes(host)];
  return [NAME, ...shortBytes(host)];
}

/** The URL parser writes an address in its one canonical form, without an embedded IPv4 part. */
function ipv6Bytes(host: string): number[] {
  const [head = "", tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** A text with its length in one byte before it. */
function shortBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw failed("SOCKS5: a name or password is longer than 255 bytes");
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

const failed = (detail: string): FetchError => new FetchError("proxy_failed", detail);

/**
 * Reads a socket in pieces of a known length. The rest stays in the socket, which afterwards neither flows nor is paused: whoever
 * takes it over, undici or Node's own client, begins to read as from a new one.
 */
class SocketReader {
  readonly #socket: Socket;
  #wanted: { length: number; resolve(bytes: Buffer): void; reject(error: FetchError): void } | null = null;
  #ended = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("readable", this.#give).once("close", this.#end);
  }

  read(length: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#wanted = { length, resolve, reject };
      if (this.#ended) this.#end();
      else this.#give();
    });
  }

  release(): void {
    this.#socket.off("readable", this.#give).off("close", this.#end);
  }

  readonly #give = () => {
    const wanted = this.#wanted;
    const piece: Buffer | null = wanted === null ? null : this.#socket.read(wanted.length);
    if (wanted === null || piece === null) return;
    // At its end a socket gives what it has.
    if (piece.length < wanted.length) return this.#end();
    this.#wanted = null;
    wanted.resolve(piece);
  };

  readonly #end = () => {
    this.#ended = true;
    this.#wanted?.reject(failed("the proxy closed the connection"));
  };
}
