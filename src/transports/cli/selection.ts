/** The options that select URLs and fields, the same for lists and exports; and reading numbers. */
import { type Command, InvalidArgumentError } from "commander";
import { TrawlError } from "../../errors.ts";

export interface Selection {
  filter: string[];
  broken?: boolean;
  search?: string;
  fields?: string;
}

export const addSelection = (command: Command): Command =>
  command
    .option(
      "--filter <test>",
      "Only URLs that match FIELD, one of = != > >= < <= ~ (contains) ^= (starts with) $= (ends with) =~ (regular " +
        "expression), VALUE; !~, !^=, !$= and !=~ are the opposites. May be repeated; all must match. One of several: " +
        '"status=404 || status=410". With an audit rule: issue=title.missing.',
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option("--broken", "Only broken URLs: 4xx, 5xx, a bot check instead of the page, or no answer.")
    .option("--search <text>", "Only those with this text in the URL or title.")
    .option("--fields <names>", "Fields to print, separated by commas.");

/** The filters, including those with their own option. */
export const selectedFilters = ({ filter, broken = false }: Selection): string[] =>
  broken ? [...filter, "outcome=broken"] : filter;

export function selectedFields(fields: string | undefined): string[] | null {
  if (fields === undefined) return null;
  const names = fields.split(",").map((name) => name.trim());
  const named = names.filter((name) => name !== "");
  if (named.length === 0) throw new TrawlError("BAD_USAGE", "--fields is empty.");
  return named;
}

export function readLimit(value: string): number {
  const limit = readNumber(value);
  if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError("It must be 1 or more.");
  return limit;
}

export function readNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("It is not a number.");
  return number;
}

export function readPort(value: string): number {
  const port = readNumber(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("It must be 0 to 65535.");
  return port;
}
