/** The error for a field that does not exist: the likely intended field, and a list of all fields. */
import { TrawlError } from "../../../errors.ts";
import { didYouMean } from "../../../settings/did-you-mean.ts";

/** More than this would fill the screen. */
const MOST_LISTED = 40;

export const unknownField = (name: string, known: readonly string[], of = ""): TrawlError =>
  new TrawlError("BAD_USAGE", `There is no field "${name}"${of}${didYouMean(name, known) || "."}`, {
    hint: known.length > MOST_LISTED ? "`trawl urls --help` lists all fields." : `Fields: ${known.join(", ")}.`,
  });
