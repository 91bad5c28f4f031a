/** The error table: every error a person can meet has a stable code, a message and what to do next. */

interface ErrorEntry {
  message: string;
  /** What the person who sees it can do. */
  hint: string;
  /** The exit code of the command line: 1 failed, 2 bad usage or config, 3 interrupted and resumable. */
  exit: 1 | 2 | 3;
}

export const ERRORS = {
  BAD_URL: {
    message: "This is not a URL that can be crawled.",
    hint: "Give an http or https address, such as https://example.com.",
    exit: 2,
  },
  BAD_CONFIG: {
    message: "The configuration is not valid.",
    hint: "Mend the settings named above; `trawl config show` prints every setting with its default.",
    exit: 2,
  },
  BAD_USAGE: {
    message: "The command was not understood.",
    hint: "`trawl --help` and `trawl <command> --help` list what can be typed.",
    exit: 2,
  },
  FILE_NOT_READABLE: {
    message: "The file cannot be read.",
    hint: "Check the path and its permissions.",
    exit: 2,
  },
  FILE_NOT_WRITABLE: {
    message: "The file cannot be written.",
    hint: "Check the path, its permissions and the free space.",
    exit: 2,
  },
  CRAWL_NOT_FOUND: {
    message: "There is no crawl with this id.",
    hint: "`trawl crawls` lists the crawls on this machine.",
    exit: 2,
  },
  CRAWL_BUSY: {
    message: "Another process is working on this crawl.",
    hint: "Wait for it to end, or stop it first.",
    exit: 1,
  },
  URL_NOT_IN_CRAWL: {
    message: "This crawl never met that URL.",
    hint: "`trawl urls <id> --search <text>` finds the URLs it did meet.",
    exit: 2,
  },
  STORE_TOO_NEW: {
    message: "This database was written by a newer version of Trawl.",
    hint: "Update Trawl, or crawl again with this version.",
    exit: 1,
  },
  STORE_FAILED: {
    message: "The crawl database could not be written.",
    hint: "Check the free space and the permissions of the data folder (`TRAWL_HOME`, or ~/.trawl), then `trawl resume`.",
    exit: 1,
  },
  START_UNREACHABLE: {
    message: "The start URL did not answer.",
    hint: "Check the address and your network; `trawl demo` crawls a bundled site without one.",
    exit: 1,
  },
  START_SKIPPED: {
    message: "The start URL may not be crawled.",
    hint: "Start somewhere else, or change the setting that kept it out; `trawl why <id> <url>` names it.",
    exit: 1,
  },
  BROWSER_NOT_FOUND: {
    message: "Rendering needs Chromium, Chrome or Edge, and none was found.",
    hint: "Install one (Debian: `apt-get install chromium-headless-shell`), or name it with `--browser <path>`.",
    exit: 2,
  },
  BROWSER_FAILED: {
    message: "The browser could not be started.",
    hint: "Try it by hand with `--headless --no-sandbox`, or crawl without `--render`.",
    exit: 1,
  },
  INTERNAL: {
    message: "Something inside Trawl broke.",
    hint: "Please report it, with the command and the line above. Nothing stored is lost: `trawl resume` goes on.",
    exit: 1,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** An error for people: its code is stable, its message says what was wrong here, its hint what to do. */
export class TrawlError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly exit: 1 | 2 | 3;

  constructor(code: ErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail ?? ERRORS[code].message, options);
    this.name = "TrawlError";
    this.code = code;
    this.hint = ERRORS[code].hint;
    this.exit = ERRORS[code].exit;
  }
}
