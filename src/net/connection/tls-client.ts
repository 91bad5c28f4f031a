/** TLS for outgoing connections: one context for all, and sessions kept so that a second connection skips half the handshake. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP, type Socket } from "node:net";
import { connect, createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from "node:tls";
import { TrawlError } from "../../errors.ts";
import type { TlsFacts } from "../http-types.ts";

/** About 2 KB each. */
const MAX_SESSIONS = 1_000;

export class TlsClient {
  readonly #ca: string | null;
  readonly #insecure: boolean;
  readonly #sessions = new Map<string, Buffer>();
  #context: SecureContext | null = null;

  constructor(ca: string | null, insecure: boolean) {
    if (ca !== null) requireCertificates(ca);
    this.#ca = ca;
    this.#insecure = insecure;
  }

  /** Starts TLS on an open socket. An error listener stays on it: until undici adds its own, an error would end the process. */
  handshake(socket: Socket, hostname: string, port: number, protocols: string[]): Promise<TLSSocket> {
    const key = `${hostname}:${port}`;
    // RFC 6066 section 3: no literal addresses and no trailing dot in the server name.
    const servername = isIP(hostname) === 0 ? hostname.replace(/\.$/, "") : "";
    const session = this.#sessions.get(key);
    const secured = connect({
      socket,
      host: hostname,
      servername,
      ALPNProtocols: protocols,
      rejectUnauthorized: !this.#insecure,
      secureContext: this.#secureContext(),
      ...(session === undefined ? {} : { session }),
    });
    secured.on("session", (fresh: Buffer) => this.#remember(key, fresh));
    return new Promise((resolve, reject) => {
      const closed = () => reject(Object.assign(new Error("closed during the handshake"), { code: "ECONNRESET" }));
      secured.on("error", reject);
      secured.once("close", closed);
      secured.once("secureConnect", () => {
        secured.off("close", closed);
        resolve(secured);
      });
    });
  }

  /** Parsing 150 root certificates takes milliseconds, so it is done once. */
  #secureContext(): SecureContext {
    this.#context ??= createSecureContext(this.#ca === null ? {} : { ca: [...getCACertificates("default"), this.#ca] });
    return this.#context;
  }

  #remember(key: string, session: Buffer): void {
    this.#sessions.delete(key);
    if (this.#sessions.size >= MAX_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
    this.#sessions.set(key, session);
  }
}

export function tlsFacts(socket: TLSSocket): TlsFacts {
  const until = Date.parse(socket.getPeerCertificate().valid_to ?? "");
  const validUntil = Number.isNaN(until) ? null : new Date(until).toISOString().slice(0, 10);
  return { version: socket.getProtocol() ?? "", validUntil };
}

/** Only the version is asked: the certificate does not matter, and nothing is sent. OpenSSL has to be told that old ciphers may be offered. */
export function acceptsOldTls(socket: Socket, hostname: string): Promise<boolean> {
  const servername = isIP(hostname) === 0 ? hostname.replace(/\.$/, "") : "";
  const versions = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  return new Promise((resolve) => {
    const secured = connect({ socket, servername, rejectUnauthorized: false, ...versions });
    secured.once("secureConnect", () => resolve(true));
    // A server that refuses says so, or closes the connection.
    secured.once("error", () => resolve(false));
    secured.once("close", () => resolve(false));
  });
}

/** The PEM text of the file named in the setting `ca`. */
export function readCertificates(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `ca: ${path} cannot be read (${(error as Error).message})`);
  }
}

/** OpenSSL ignores what it cannot read: a key instead of a certificate would only show up as an untrusted site. */
function requireCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END \1CERTIFICATE-----/g) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length > 0) return;
  } catch {}
  throw new TrawlError("BAD_CONFIG", "ca: the file contains no PEM certificate, or a damaged one.");
}
