/** The error table: every error that a person can see has a stable code, a message and a next step. */

interface ErrorEntry {
  message: string;
  /** What the user can do about it. */
  hint: string;
  /** The exit code of the command line: 1 failed, 2 bad usage or settings, 3 interrupted and resumable. */
  exit: 1 | 2 | 3;
}

export const ERRORS = {
  BAD_URL: {
    message: "This URL cannot be crawled.",
    hint: "Give an http or https address, such as https://example.com.",
    exit: 2,
  },
  BAD_CONFIG: {
    message: "The settings are not valid.",
    hint: "Fix the settings listed above. `trawl config show`, or `trawl archive config init -`, prints every setting with its default.",
    exit: 2,
  },
  OWNER_ONLY: {
    message: "Only the owner of this machine may change this.",
    hint: "Give it on the command line, such as `trawl crawl <url> --proxy <url>`. To use it here and in schedules too, save it for the site on that machine: `trawl config save <url> --proxy <url>`.",
    exit: 2,
  },
  PRIVATE_START: {
    message: "This address is inside a private network.",
    hint: "Crawl it from the command line with `trawl crawl`, or start the server, or `trawl mcp`, with `--allow-private`.",
    exit: 2,
  },
  BAD_USAGE: {
    message: "The command was not understood.",
    hint: "`trawl --help` and `trawl <command> --help` list the commands and their options.",
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
  PROJECT_NOT_FOUND: {
    message: "There is no project with this id.",
    hint: "`trawl crawls` lists the crawls on this machine with their projects.",
    exit: 2,
  },
  CRAWL_BUSY: {
    message: "Another process is working on this crawl.",
    hint: "Wait for it to end, or stop it first.",
    exit: 1,
  },
  WRONG_STATE: {
    message: "This is not possible in the current state.",
    hint: "Check its state first: what is possible depends on it.",
    exit: 2,
  },
  CRAWL_ENDED: {
    message: "The crawl has ended, so nothing can be added to it.",
    hint: "Start another crawl with these URLs.",
    exit: 1,
  },
  PROJECT_BUSY: {
    message: "A crawl of this project is already running.",
    hint: "Wait for it to end, or stop it first: `trawl crawls` lists the crawls, and `trawl stop <id>` stops one.",
    exit: 1,
  },
  URL_NOT_IN_CRAWL: {
    message: "This crawl did not find that URL.",
    hint: "`trawl urls <id> --search <text>` searches the URLs that it found.",
    exit: 2,
  },
  STORE_TOO_NEW: {
    message: "This database was written by a newer version of Trawl.",
    hint: "Update Trawl, or crawl again with this version.",
    exit: 1,
  },
  STORE_FAILED: {
    message: "The crawl database could not be written.",
    hint: "Check the free space and the permissions of the data folder (`TRAWL_HOME`, or ~/.trawl), then resume the crawl.",
    exit: 1,
  },
  MACHINE_TROUBLE: {
    message: "This machine cannot make any more requests.",
    hint: "Fix that, then resume: no page was given up because of it.",
    exit: 1,
  },
  START_UNREACHABLE: {
    message: "The start URL did not answer.",
    hint: "Check the address and your network; `trawl demo` crawls a bundled site without a network.",
    exit: 1,
  },
  START_SKIPPED: {
    message: "The start URL is not allowed to be crawled.",
    hint: "Start with another URL, or change the setting that excludes it; `trawl why <id> <url>` names that setting.",
    exit: 1,
  },
  START_FAILED: {
    message: "The start URL did not lead to a page.",
    hint: "Start with another URL; `trawl why <id> <url>` tells what came back.",
    exit: 1,
  },
  BROWSER_NOT_FOUND: {
    message: "Rendering needs Chromium, Chrome or Edge, but none was found.",
    hint: "Install one (Debian: `apt-get install chromium-headless-shell`), or name it with `--browser <path>`.",
    exit: 2,
  },
  BROWSER_FAILED: {
    message: "The browser could not be started.",
    hint: "Try it by hand with `--headless --no-sandbox`, or crawl without `--render`.",
    exit: 1,
  },
  BAD_SCHEDULE: {
    message: "This is not a valid schedule.",
    hint: "Give five fields: minute, hour, day of month, month, day of week. `30 6 * * 1-5` is 6:30 on working days; @daily and @weekly work too.",
    exit: 2,
  },
  SCHEDULE_NOT_FOUND: {
    message: "This project has no schedule.",
    hint: "`trawl schedule list` lists the schedules; `trawl schedule set` creates one.",
    exit: 2,
  },
  ARCHIVE_DAMAGED: {
    message: "A file of the archive is damaged.",
    hint: "`trawl archive verify` names what is wrong; `trawl archive verify --repair` keeps everything that is intact.",
    exit: 1,
  },
  ARCHIVE_NOT_FOUND: {
    message: "There is no archive with this id.",
    hint: "`GET /api/v1/archives` lists the archives of this machine; `trawl archive configure`, or a run, adds a workspace to them.",
    exit: 2,
  },
  PAGE_NOT_IN_ARCHIVE: {
    message: "This page is not in the archive.",
    hint: "Give the URL as the archive stores it (`trawl archive validate-policy <url>` prints that form), or a SHA-256.",
    exit: 2,
  },
  NOTHING_TO_EXPORT: {
    message: "There is nothing to export.",
    hint: "WARC and WACZ need a run with `--warc`; CSV needs at least one archived page.",
    exit: 2,
  },
  UPDATE_CHECK_FAILED: {
    message: "Trawl could not check for a newer version.",
    hint: "Check your network, and npm's settings with `npm config get registry`.",
    exit: 1,
  },
  UPDATE_FAILED: {
    message: "Trawl could not be updated.",
    hint: "`trawl update --check` shows the command that updates it; run it by hand to see npm's full output.",
    exit: 1,
  },
  INTERNAL: {
    message: "Trawl failed because of a bug.",
    hint: "Please report it, with the command and the line above. Nothing stored is lost, and the crawl can be resumed.",
    exit: 1,
  },
  BAD_INPUT: {
    message: "The request is not in the form that this operation expects.",
    hint: "`problems` lists each wrong value; /docs shows every operation with its parameters.",
    exit: 2,
  },
  PATH_NOT_FOUND: {
    message: "There is nothing at this path.",
    hint: "/docs lists every path of the API.",
    exit: 2,
  },
  METHOD_NOT_ALLOWED: {
    message: "This path does not accept this method.",
    hint: "The Allow header lists the methods that it accepts.",
    exit: 2,
  },
  BODY_TOO_LARGE: {
    message: "The body of the request is too large.",
    hint: "Send less per request; `trawl list` reads lists of any length from a file.",
    exit: 2,
  },
  BODY_NOT_JSON: {
    message: "The body of the request is not JSON.",
    hint: "Send a JSON object, with the header Content-Type: application/json.",
    exit: 2,
  },
  HOST_NOT_ALLOWED: {
    message: "This server does not accept requests for that host name.",
    hint: "Use the address that `trawl serve` printed, or start it with `--allow-host <name>`.",
    exit: 2,
  },
  ORIGIN_NOT_ALLOWED: {
    message: "Requests from other websites are not allowed.",
    hint: "If that website is yours, start the server with `--cors <origin>`.",
    exit: 2,
  },
  TOKEN_NEEDED: {
    message: "This server requires a token.",
    hint: "In a browser, use `trawl open`, or the address that `trawl serve` printed. Programs send the header Authorization: Bearer <token>, with the token in the file `token` in the data folder.",
    exit: 2,
  },
  TOO_MANY_REQUESTS: {
    message: "This client sends too many requests at once.",
    hint: "Wait as long as the Retry-After header says, and try again. The limits are listed in docs/server.md.",
    exit: 1,
  },
  SERVER_BUSY: {
    message: "The server is too busy to answer right now.",
    hint: "Wait as long as the Retry-After header says, and try again.",
    exit: 1,
  },
  PORT_TAKEN: {
    message: "The port is in use by another program.",
    hint: "Choose another with `--port <n>`; `--port 0` picks a free one.",
    exit: 2,
  },
  VIEW_NOT_FOUND: {
    message: "There is no saved view with this id.",
    hint: "List the saved views to see their ids.",
    exit: 2,
  },
  ROBOTS_DISALLOWED: {
    message: "robots.txt does not allow this page to be fetched.",
    hint: "`trawl robots test <url>` shows the line. On your own site you can ignore it with `--robots ignore`.",
    exit: 1,
  },
  SERVICE_REFUSED: {
    message: "A service refused to answer.",
    hint: "Check the key, whether it may use this service for this site, and how many requests it has left.",
    exit: 1,
  },
  PAGE_NOT_STORED: {
    message: "This crawl did not store the page's HTML.",
    hint: "Crawl with `--store-html` to store it, or fetch the page now.",
    exit: 1,
  },
  PAGE_NOT_FETCHED: {
    message: "The page could not be fetched.",
    hint: "Crawl with `--store-html` to read pages later without fetching them again.",
    exit: 1,
  },
  DISK_FULL: {
    message: "The disk is full.",
    hint: "Make room on that disk, then repeat the command. Nothing that was archived is lost.",
    exit: 3,
  },
  NO_WORKSPACE: {
    message: "This folder is not an archive workspace.",
    hint: "`trawl archive configure <folder>` creates one.",
    exit: 2,
  },
  BAD_SQL: {
    message: "This query cannot be run.",
    hint: "Write a single SELECT (or WITH, VALUES, EXPLAIN) over the crawl's tables; `trawl sql --tables` lists them.",
    exit: 2,
  },
  SQL_STOPPED: {
    message: "The query took too long or too much memory.",
    hint: "Narrow it: add a LIMIT or a WHERE on id or url, or join on indexed columns.",
    exit: 1,
  },
  WINDOW_NO_BROWSER: {
    message: "The desktop window needs Chromium, Chrome or Edge, but none was found.",
    hint: "Install one (Debian: `apt-get install chromium`), or name it with `--browser <path>`; `trawl open` uses your default browser.",
    exit: 2,
  },
  WINDOW_NO_SCREEN: {
    message: "There is no screen to open a window on.",
    hint: "Start it in a desktop session, or run `trawl serve` and open its address in a browser elsewhere.",
    exit: 2,
  },
  WINDOW_FAILED: {
    message: "The window could not be opened.",
    hint: "Try another browser with `--browser <path>`, or `trawl open`, which uses your default browser.",
    exit: 1,
  },
  WINDOW_BUSY: {
    message: "Trawl is already open in a window, but that window does not respond.",
    hint: "It may be pausing its crawls. Try again in a moment, or close it.",
    exit: 1,
  },
  WORKSPACE_BUSY: {
    message: "Another process is using this workspace.",
    hint: "Wait for it to end, or stop it with `trawl archive stop`; `trawl archive status` works meanwhile.",
    exit: 1,
  },
  NO_SEEDS: {
    message: "None of the seeds may be archived.",
    hint: "Write URLs of the host into seeds.txt, one per line; `trawl archive validate-policy <url>` says whether a URL may be archived.",
    exit: 2,
  },
  HOST_UNREACHABLE: {
    message: "The host did not answer, or its robots.txt could not be read.",
    hint: "Check your network and the host. The queue is kept: `trawl archive resume` continues with it.",
    exit: 1,
  },
  STATE_BUSY: {
    message: "Another process is crawling with this state.",
    hint: "Wait for it to end, or stop it first; or share it: several processes can crawl with the same Redis.",
    exit: 1,
  },
  FOLLOW_BUSY: {
    message: "Another process is following into this archive.",
    hint: "Wait for it to end, or stop it first; another `--output-dir` can be followed next to it.",
    exit: 1,
  },
  REDIS_FAILED: {
    message: "Redis did not answer, or refused a command.",
    hint: "Check `--redis-address` and that the server is running. Without Redis, the state is kept in a file next to the segments.",
    exit: 1,
  },
  SOURCE_FAILED: {
    message: "A source of DIDs could not be read.",
    hint: "Check its address or file. Nothing that was crawled is lost; `--resume` continues from there.",
    exit: 1,
  },
  NOT_A_SEGMENT: {
    message: "This file is not a segment of a repo archive.",
    hint: "Segments are named segment_0001.rca; `trawl atproto repair <file>` recovers one whose beginning or end is damaged.",
    exit: 2,
  },
  NO_SEGMENTS: {
    message: "This folder has no segments of a repo archive.",
    hint: "Pass the folder that `trawl atproto crawl --output-dir` wrote to.",
    exit: 2,
  },
  SEGMENT_BUSY: {
    message: "Another process is writing this segment.",
    hint: "Wait until the crawl has ended, or stop it first.",
    exit: 1,
  },
  CLICKHOUSE_FAILED: {
    message: "ClickHouse did not answer, or refused a command.",
    hint: "Check its address, user and password, and that the server is running. What was loaded is kept: the same command continues from there.",
    exit: 1,
  },
  BAD_RECORD_SQL: {
    message: "This query cannot be run.",
    hint: "Write a single SELECT, SHOW, DESCRIBE or EXPLAIN in ClickHouse's SQL over repo_records; `DESCRIBE repo_records` shows its columns.",
    exit: 2,
  },
  CHDB_MISSING: {
    message: "This needs the package chdb, which is not installed.",
    hint: "Run `npm install chdb` where Trawl is installed (Linux and macOS, half a gigabyte), or load into a ClickHouse server instead.",
    exit: 2,
  },
  CHDB_FAILED: {
    message: "The embedded ClickHouse could not do this.",
    hint: "Check its database folder, the free space, and that no other process is using it. What was loaded is kept.",
    exit: 1,
  },
  REPO_ARCHIVE_NOT_FOUND: {
    message: "There is no AT Protocol archive with this id.",
    hint: "`GET /api/v1/atproto` lists the archives of this machine; `trawl atproto crawl`, `follow` or `index` adds a folder to them.",
    exit: 2,
  },
  DID_NOT_ARCHIVED: {
    message: "This repo, collection or record is not in the archive.",
    hint: "`trawl atproto cat <did>` lists the collections of a repo; `trawl atproto status` shows how far the crawl has come.",
    exit: 1,
  },
  FLEET_DATABASE: {
    message: "The fleet's PostgreSQL cannot be used.",
    hint: "Check that the server is running, and its address in --postgres or TRAWL_POSTGRES. Running workers wait for it.",
    exit: 1,
  },
  FLEET_NOT_CONFIGURED: {
    message: "This server has no fleet database.",
    hint: "Set TRAWL_POSTGRES to its address, and start `trawl serve` again.",
    exit: 2,
  },
  FLEET_NOT_FOUND: {
    message: "There is no fleet crawl with this name.",
    hint: "`trawl fleet list` lists the fleet crawls in the database; `trawl fleet start <name> <url>` starts one.",
    exit: 2,
  },
  FLEET_EXISTS: {
    message: "A fleet crawl with this name already exists.",
    hint: "Choose another name, or delete it with `trawl fleet rm <name>`.",
    exit: 2,
  },
  FLEET_BUSY: {
    message: "Workers are still working on this fleet crawl.",
    hint: "`trawl fleet stop <name>` ends it first.",
    exit: 1,
  },
  FLEET_VERSION: {
    message: "This fleet crawl was started by another version of Trawl.",
    hint: "Use the version that started it on every machine, or delete it with `trawl fleet rm <name>` and start it again.",
    exit: 1,
  },
  FLEET_FENCED: {
    message: "Another worker has taken over this part of the crawl.",
    hint: "Nothing was lost: the other worker continues. It happens when a machine was stopped for longer than ten seconds.",
    exit: 1,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** An error for people: a stable code, a message that says what went wrong, and a hint that says what to do about it. */
export interface TrawlErrorOptions extends ErrorOptions {
  /** What to do in this case, if the hint of the code is too general. */
  hint?: string;
  exit?: 1 | 2 | 3;
  /** The crawl that stands in the way. */
  crawlId?: number;
  /** When it is worth trying again. */
  retryAfterSeconds?: number;
}

export class TrawlError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly exit: 1 | 2 | 3;
  readonly crawlId: number | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: ErrorCode, detail?: string, options: TrawlErrorOptions = {}) {
    super(detail ?? ERRORS[code].message, options);
    this.name = "TrawlError";
    this.code = code;
    this.hint = options.hint ?? ERRORS[code].hint;
    this.exit = options.exit ?? ERRORS[code].exit;
    this.crawlId = options.crawlId ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}
