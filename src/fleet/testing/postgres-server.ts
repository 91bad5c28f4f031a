/**
 * A PostgreSQL server for tests: Debian's server on a free port of loopback, with its data in a folder that is removed. It can
 * be stopped as a power cut would, and started again.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../atproto/testing/service-process.ts";
import { Connection } from "../postgres/connection.ts";
import { findPostgres } from "./find-postgres.ts";

/** Why tests are skipped where the server is missing. */
export const NO_POSTGRES = "PostgreSQL is not installed; Debian: apt-get install postgresql";

/** PostgreSQL refuses to run as root; this is nobody's number on every Linux. */
const NOBODY = 65_534;

/** As the server's own words for its signals: SIGQUIT ends it at once, without a checkpoint. */
const IMMEDIATE = "SIGQUIT";
const FAST = "SIGINT";

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  shared_buffers: "32MB",
  max_connections: "60",
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
    const folder = mkdtempSync(join(temporaryFolder(), "trawl-postgres-"));
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    const arguments_ = ["-D", join(folder, "data"), "-U", "trawl", "-A", "trust", "-N", "--no-locale", "-E", "UTF8"];
    execFileSync(join(bin, "initdb"), arguments_, { cwd: folder, ...account(), stdio: "pipe" });
    const server = new TestPostgres(bin, folder, await freePort());
    await server.#begin();
    return server;
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

/** On some machines only root may enter /tmp, and the server runs as somebody else. */
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
      if (said.includes("database system is ready to accept connections")) resolve(null);
    });
  });
}

/** A connection to look at what a fleet stored. */
export const inspect = (server: TestPostgres): Connection => new Connection([server.url]);
