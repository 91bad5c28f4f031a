/** What went wrong with PostgreSQL: whether another try may help, and what the user is told. */
import { TrawlError } from "../../errors.ts";
import { shownUrl } from "./database-urls.ts";
import { NOT_READY } from "./server-check.ts";

/**
 * Whether another try, over another connection, may help: this one was cut, nothing answers, or the server is going
 * down, has become a standby, has no room, gave up one of two transactions, or ended a transaction because this process
 * stood still in it. PostgreSQL's own codes have five characters; everything else comes from the socket.
 */
export function isBroken(error: unknown): boolean {
  if (error instanceof TrawlError) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code) || code === "EPIPE") return !isProgramError(error);
  return /^(?:08|40|53|57P)/.test(code) || code === "25006" || code === "25P03";
}

/** An error of our own is not the network's fault. */
const isProgramError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

/** No server could be used. Another try is worthwhile while one of them may come back. */
export function connectError(problems: readonly { url: string; error: unknown }[]): Error {
  const texts = problems.map(({ url, error }) => `${shownUrl(url)}: ${messageOf(error)}`);
  const final = problems.every(({ error }) => !isBroken(error)) ? problems[0]!.error : null;
  const hint = HINTS[(final as { code?: string } | null)?.code ?? ""] ?? (final as TrawlError | null)?.hint;
  if (final !== null) return new TrawlError("FLEET_DATABASE", `PostgreSQL at ${texts.join("; ")}.`, { hint });
  const isStarting = problems.some(({ error }) => (error as { code?: string }).code === NOT_READY);
  return Object.assign(new Error(`PostgreSQL at ${texts.join("; ")}`), isStarting ? { code: NOT_READY } : {});
}

/** What the user is told when the database cannot be used. */
export function databaseError(error: unknown): TrawlError {
  if (error instanceof TrawlError) return error;
  const message = messageOf(error);
  const text = /^(?:PostgreSQL|ClickHouse) at /.test(message) ? message : `PostgreSQL: ${message}`;
  return new TrawlError("FLEET_DATABASE", `${text}.`, { hint: HINTS[(error as { code?: string }).code ?? ""] });
}

const PASSWORD = "Put the password into PGPASSWORD or ~/.pgpass, as for psql, and the user into the address.";

/** By PostgreSQL's codes, where the general hint does not say what to do. */
const HINTS: Record<string, string> = {
  "28P01": PASSWORD,
  "28000": "Check the user in the address, and the server's pg_hba.conf.",
  "3D000": "Create the database with `createdb`, or name one that exists in the address.",
  "42501": "A fleet makes a schema per crawl: GRANT CREATE ON DATABASE … TO … allows it.",
  "53100": "Make room on the disk of the database: workers wait and then continue.",
  "53300": "Each worker needs three connections, each command one: raise max_connections.",
};

export function messageOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  if (/client password must be a (?:non-empty )?string/.test(message ?? ""))
    return "it asks for a password, and none was given";
  // A refused connection to a name with two addresses has an empty message.
  return (message || code || String(error)).replace(/\.$/, "");
}
