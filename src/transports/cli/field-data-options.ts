/**
 * The services that `trawl audit` asks when it is told to, and their keys: from a file or the environment, because every user
 * of the machine can read a command line.
 */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { AuditQuestion } from "../../app/operations/issues.ts";
import { TrawlError } from "../../errors.ts";
import type { Cli } from "./cli.ts";
import { readLimit } from "./selection.ts";

export interface FieldDataOptions {
  crux?: number;
  cruxKeyFile?: string;
  searchConsole?: string;
  searchConsoleTokenFile?: string;
}

export const addFieldDataOptions = (command: Command): Command =>
  command
    .option(
      "--crux <pages>",
      "Ask the Chrome UX Report how fast this many pages were for their visitors (LCP, INP, CLS): the start, and those that " +
        "the site links to most; 150 per minute. With the key of Google's API in TRAWL_CRUX_KEY.",
      readLimit,
    )
    .option("--crux-key-file <file>", "The file with the key, instead of TRAWL_CRUX_KEY.")
    .option(
      "--search-console <property>",
      "Ask Search Console how often Google's results showed each page. The property is https://example.com/ or " +
        "sc-domain:example.com; with the OAuth access token in TRAWL_SEARCH_CONSOLE_TOKEN.",
    )
    .option("--search-console-token-file <file>", "The file with the token, instead of TRAWL_SEARCH_CONSOLE_TOKEN.");

export function fieldDataAsked(
  { crux, cruxKeyFile, searchConsole, searchConsoleTokenFile }: FieldDataOptions,
  { env }: Pick<Cli, "env">,
): Pick<AuditQuestion, "crux" | "searchConsole"> {
  const cruxKey = { service: "--crux", variable: "TRAWL_CRUX_KEY", flag: "--crux-key-file", file: cruxKeyFile };
  const token = {
    service: "--search-console",
    variable: "TRAWL_SEARCH_CONSOLE_TOKEN",
    flag: "--search-console-token-file",
    file: searchConsoleTokenFile,
  };
  return {
    crux: isAsked(crux, cruxKey) ? { key: secretOf(cruxKey, env), pages: crux } : null,
    searchConsole: isAsked(searchConsole, token) ? { token: secretOf(token, env), property: searchConsole } : null,
  };
}

interface SecretPlace {
  service: string;
  variable: string;
  flag: string;
  file: string | undefined;
}

/** A key alone asks nobody: it may be in the environment for another command. */
function isAsked<T>(asked: T | undefined, { service, flag, file }: SecretPlace): asked is T {
  if (asked === undefined && file !== undefined)
    throw new TrawlError("BAD_USAGE", `${flag} is for use with ${service}.`);
  return asked !== undefined;
}

function secretOf({ service, variable, flag, file }: SecretPlace, env: Cli["env"]): string {
  const secret = (file === undefined ? (env[variable] ?? "") : contentOf(file)).trim();
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  const place = file ?? variable;
  throw secret === "" && file === undefined
    ? new TrawlError("BAD_USAGE", `${service} needs a key.`, {
        hint: `Set ${variable}, or pass ${flag} <file> with the name of a file that only you can read.`,
      })
    : new TrawlError("BAD_USAGE", `${place} must hold one key: letters, digits and punctuation, no spaces.`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${file} cannot be read: ${(error as Error).message}`);
  }
}
