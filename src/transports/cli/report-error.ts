/** Prints errors for people and programs: what was wrong, what to do, and an exit code. Stack traces only on request. */
import { CommanderError } from "commander";
import { ERRORS, TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { asDiskFull } from "../../storage/durable.ts";
import { clean, unicodeHosts } from "../texts.ts";
import type { Terminal } from "./output/terminal.ts";
import { usageMessage } from "./usage-message.ts";

export interface ReportOptions {
  terminal: Terminal;
  json: boolean;
  /** TRAWL_DEBUG: print the stack trace. */
  debug: boolean;
  /** The command that was typed, such as `archive run`: hints name it, and those about an archive its commands. */
  command?: string;
}

/** What to do in an archive, for codes whose own hint is about site crawls. */
const ARCHIVE_HINTS: Partial<Record<string, string>> = {
  BAD_CONFIG:
    "Fix the settings listed above. `trawl archive config init -` prints every setting with its meaning and its default.",
  STORE_FAILED: "Check the free space and the permissions of the workspace, then continue with `trawl archive resume`.",
  STORE_TOO_NEW: "Update Trawl: `trawl update`.",
  MACHINE_TROUBLE: "Fix that, then continue with `trawl archive resume`: no page was given up because of it.",
  INTERNAL:
    "Please report it, with the command and the line above. Nothing stored is lost: `trawl archive resume` continues.",
};

/** Prints the error and returns its exit code. */
export function reportError(error: unknown, { terminal, json, debug, command = "" }: ReportOptions): number {
  const isArchive = command.split(" ")[0] === "archive";
  const { code, message, hint: general, exit, crawlId = null } = described(isArchive ? asDiskFull(error) : error);
  const isGeneral = Object.hasOwn(ERRORS, code) && general === ERRORS[code as keyof typeof ERRORS].hint;
  const ofCommand =
    code === "BAD_USAGE" && command !== "" ? `\`trawl ${command} --help\` shows what can be typed.` : undefined;
  const hint = (isGeneral ? (ofCommand ?? (isArchive ? ARCHIVE_HINTS[code] : undefined)) : undefined) ?? general;
  if (json) terminal.json({ event: "error", code, message, hint, ...(crawlId === null ? {} : { crawlId }) });
  else {
    const { bad, dim } = terminal.errorStyle;
    const [first, ...rest] = message.split("\n").map(clean);
    const lines = [`${bad("error:")} ${first}`, ...rest.map((line) => `  ${line}`), `${dim("hint:")} ${hint}`];
    terminal.note(unicodeHosts(lines.join("\n")));
  }
  if (debug && error instanceof Error) terminal.note(String(error.stack));
  return exit;
}

interface Described {
  code: string;
  message: string;
  hint: string;
  exit: number;
  /** The crawl that stands in the way. */
  crawlId?: number | null;
}

function described(thrown: unknown): Described {
  // A full disk or a damaged file can show up anywhere.
  const error = storeError(thrown, "A database in the data folder");
  if (error instanceof TrawlError) return error;
  if (error instanceof CommanderError) {
    const message = error.code === "commander.help" ? "A command is missing." : usageMessage(error.message);
    return { code: "BAD_USAGE", message, hint: ERRORS.BAD_USAGE.hint, exit: ERRORS.BAD_USAGE.exit };
  }
  const [line] = String(error instanceof Error ? error.message : error).split("\n");
  return { code: "INTERNAL", message: `${ERRORS.INTERNAL.message} ${line}`, hint: ERRORS.INTERNAL.hint, exit: 1 };
}
