/** The token in a file: one in the data folder that is made at the first start, or one that the user names. */
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { newToken, Tokens } from "./tokens.ts";

const PRIVATE = 0o600;
/** What other users may do with a file. */
const OTHERS = 0o077;

export const homeTokenFile = (home: string): string => join(home, "token");

/** A full or read-only disk cannot be written to, but what is on it can still be served. */
const NO_WRITING = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/**
 * The token of a data folder; made at the first start. No other user of the machine can read it. Where it cannot be stored,
 * it is valid only for this run.
 */
export function homeToken(home: string): string {
  const file = homeTokenFile(home);
  try {
    makeToken(file);
    chmodSync(file, PRIVATE);
  } catch (error) {
    if (NO_WRITING.has((error as NodeJS.ErrnoException).code ?? "")) {
      const stored = statSync(file, { throwIfNoEntry: false });
      return stored !== undefined && (stored.mode & OTHERS) === 0 ? readToken(file) : newToken();
    }
    throw new TrawlError("FILE_NOT_WRITABLE", `The token cannot be stored: ${(error as Error).message}`);
  }
  return readToken(file);
}

/** If two servers start at the same time, one makes it and both use it; neither ever sees half of it. */
function makeToken(file: string): void {
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, `${newToken()}\n`, { mode: PRIVATE, flag: "wx" });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The token in a file, without the line break at its end. */
export function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `The token cannot be read: ${(error as Error).message}`);
  }
  try {
    return new Tokens(token).token;
  } catch (error) {
    throw new TrawlError("BAD_USAGE", `${file}: ${(error as Error).message}`, {
      hint: "Write another token into the file, or delete the file: Trawl makes a new one in its data folder.",
    });
  }
}
