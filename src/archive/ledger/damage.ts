/** A file of the ledger holds what the ledger did not write: said with its name and line, never passed over. */
import { basename } from "node:path";
import { TrawlError } from "../../errors.ts";

export const damaged = (path: string, line: number, what = "is damaged"): TrawlError =>
  new TrawlError("ARCHIVE_DAMAGED", `${basename(path)} line ${line} ${what}.`);
