/**
 * A PostgreSQL server for tests: Debian's server on a free port of loopback, with its data in a folder that is removed. It can
 * be stopped as a power cut would, and started again.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { appendFileSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../atproto/testing/service-process.ts";
import { Connection } from "../postgres/connection.ts";
import { findPostgres } from "./find-postgres.ts";

/** Why tests are skipped where the server is missing. */
export const NO_POSTGRES = "PostgreSQL is not installed; Debian: apt-get install postgresql";

/** PostgreSQL refuses to run as root; on every Linux, this is the number of `nobody`. */
const NOBODY = 65_534;

/** A user who needs a password, if a test creates it; all other users are trusted. */
export const GUARDED = "guarded";

/** Named as the server names its signals: SIGQUIT ends it at once, without a checkpoint. */
const IMMEDIATE = "SIGQUIT";
const FAST = "SIGINT";

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  shared_buffers: "32MB",
  max_connections: "60",
  hot_standby: "on",
  // Tests compare what is left after a crash: what was called durable must be.
  fsync: "on",
  autovacuum: "off",
};

export class TestPostgres {
  readonly port: number;
  readonly #bin: string;
  readonly #folder: string;
  #server: ChildProcess | null = null;
  #turn: Promise<void> = Promise.resolve();

  private constructor(bin: string, folder: string, port: number) {
    this.#bin = bin;
    this.#folder = folder;
    this.port = port;
  }

  /** Null when it is not installed. */
  static async start(): Promise<TestPostgres | null> {
    const bin = findPostgres();
    if (bin === null) return null;
    const folder = newFolder();
    const arguments_ = ["-D", join(folder, "data"), "-U", "trawl", "-A", "trust", "-N", "--no-locale", "-E", "UTF8"];
    execFileSync(join(bin, "initdb"), arguments_, { cwd: folder, ...account(), stdio: "pipe" });
    const access = join(folder, "data", "pg_hba.conf");
    writeFileSync(access, `host all ${GUARDED} 127.0.0.1/32 scram-sha-256\n${readFileSync(access, "utf8")}`);
    appendFileSync(access, "host replication all 127.0.0.1/32 trust\n");
    const server = new TestPostgres(bin, folder, await freePort());
    await server.#begin();
    return server;
  }

  /** A copy that follows this server. With `isSynchronous`, every commit waits for the copy once it has caught up. */
  async standby(isSynchronous: boolean): Promise<TestPostgres> {
    const folder = newFolder();
    const from = ["-h", "127.0.0.1", "-p", `${this.port}`, "-U", "trawl"];
    const backup = ["-D", join(folder, "data"), "-R", "-X", "stream", "-c", "fast", ...from];
    await promisify(execFile)(join(this.#bin, "pg_basebackup"), backup, { cwd: folder, ...account() });
    const server = new TestPostgres(this.#bin, folder, await freePort());
    await server.#begin();
    if (isSynchronous) {
      await this.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await this.ask("SELECT pg_reload_conf()");
    }
    return server;
  }

  /** Cuts a standby off: what is committed from now on is lost when it is promoted. */
  async fallBehind(): Promise<void> {
    await this.ask("ALTER SYSTEM SET primary_conninfo = ''");
    await this.ask("SELECT pg_reload_conf()");
  }

  /** Promotes a standby, so that it accepts writes. */
  async promote(): Promise<void> {
    await this.ask("SELECT pg_promote(true, 60)");
  }

  /** Ends it for good, like a machine that burns down. */
  kill(): Promise<void> {
    return this.#end(IMMEDIATE);
  }

  /** Runs `psql`: for a standby, which the fleet's own connection refuses, and for what takes minutes. */
  async ask(statement: string): Promise<void> {
    const at = ["-h", "127.0.0.1", "-p", `${this.port}`, "-U", "trawl", "-d", "postgres"];
    await promisify(execFile)(join(this.#bin, "psql"), [...at, "-v", "ON_ERROR_STOP=1", "-qc", statement]);
  }

  get url(): string {
    return `postgres://trawl@127.0.0.1:${this.port}/postgres`;
  }

  /** `during` runs while the server is down. */
  crash(during: () => Promise<void> = async () => {}): Promise<void> {
    const done = this.#turn.then(async () => {
      await this.#end(IMMEDIATE);
      await during();
      await this.#begin();
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  async stop(): Promise<void> {
    await this.#turn;
    await this.#end(FAST);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    const settings = { ...SETTINGS, port: `${this.port}`, unix_socket_directories: this.#folder };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#server = spawn(join(this.#bin, "postgres"), ["-D", join(this.#folder, "data"), ...flags], {
      cwd: this.#folder,
      ...account(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    const said = await readyOrEnded(this.#server);
    if (said !== null) throw new Error(`PostgreSQL did not start: ${said}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(temporaryFolder(), "trawl-postgres-"));
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

/** On some machines only root may enter /tmp, and the server runs as another user. */
function temporaryFolder(): string {
  const isEntered = (folder: string) => (statSync(folder).mode & 0o001) !== 0;
  return process.getuid?.() === 0 && !isEntered(tmpdir()) ? "/var/tmp" : tmpdir();
}

const account = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** Null when it takes connections; otherwise what it said before it ended. */
function readyOrEnded(server: ChildProcess): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.once("error", reject);
    server.once("exit", () => resolve(said));
    server.stderr!.on("data", (piece) => {
      said = (said + piece).slice(-4_000);
      if (/database system is ready to accept (?:read-only )?connections/.test(said)) resolve(null);
    });
  });
}

/** A connection for looking at what a fleet stored. */
export const inspect = (server: TestPostgres): Connection => new Connection([server.url]);
