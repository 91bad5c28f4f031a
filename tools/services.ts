/**
 * Programs other than Node that tests need: finds them, installs missing ones where it may, and reports what is still missing.
 *
 * Only Debian packages (as root) and npm packages are downloaded. In CI a program that is still missing is a failure, because
 * the tests that need it would be skipped without anyone noticing.
 */
import { cpSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { findPostgres } from "../src/fleet/testing/find-postgres.ts";
import { findBrowser, isExecutable } from "../src/render/find-browser.ts";
import { type FileLock, lockFile } from "../src/storage/file-lock.ts";
import { installedPds, PDS_PACKAGE } from "../test/atproto/real-pds/installed-pds.ts";
import { type CommandOptions, type Finished, runCommand } from "./command.ts";

export interface Service {
  name: string;
  /** Where it is; null when it is not installed. */
  find: () => string | null;
  /** A Debian package, or an npm package that is too large to be a devDependency. */
  from: "debian" | "npm";
  package: string;
  /** The npm package gets a separate folder; `manifest` lists what to install there. */
  apart?: { manifest: string; folder: string };
  neededBy: string;
}

export const SERVICES: readonly Service[] = [
  {
    name: "Chromium",
    find: () => findBrowser(null, process.env, isExecutable)?.executablePath ?? null,
    from: "debian",
    package: "chromium-headless-shell",
    neededBy: "rendering tests",
  },
  {
    name: "Chromium with a window",
    find: () => onPath("chromium"),
    from: "debian",
    package: "chromium",
    neededBy: "web app and desktop tests",
  },
  {
    name: "Xvfb",
    find: () => onPath("Xvfb"),
    from: "debian",
    package: "xvfb",
    neededBy: "desktop tests",
  },
  {
    name: "ClickHouse",
    find: () => onPath("clickhouse-server"),
    from: "debian",
    package: "clickhouse-server",
    neededBy: "tests that load atproto archives",
  },
  {
    name: "chDB",
    find: () => resolved("chdb"),
    from: "npm",
    package: "chdb@^3.4.0",
    neededBy: "tests that query atproto archives",
  },
  {
    name: "The AT Protocol's own PDS",
    find: installedPds,
    from: "npm",
    package: "@atproto/pds",
    apart: PDS_PACKAGE,
    neededBy: "tests that crawl a real PDS",
  },
  {
    name: "Redis",
    find: () => onPath("redis-server"),
    from: "debian",
    package: "redis-server",
    neededBy: "tests that keep state in Redis",
  },
  {
    name: "PostgreSQL",
    find: () => findPostgres(),
    from: "debian",
    package: "postgresql",
    neededBy: "fleet tests",
  },
  {
    name: "nginx",
    find: () => onPath("nginx"),
    from: "debian",
    package: "nginx-light",
    neededBy: "npm run bench",
  },
];

const LOCK_PATIENCE_MS = 30 * 60_000;

export interface Machine {
  /** Debian packages can be installed: there is apt, and we are root. npm packages can be installed anywhere. */
  canInstall: boolean;
  isCi: boolean;
  run: (command: readonly string[], options: CommandOptions) => Promise<Finished>;
  /** Waits until no other run installs anything: apt and npm give up when they are not alone. */
  lock: () => FileLock;
  log: (line: string) => void;
}

/** True when everything is installed, or when this is not CI. */
export async function ensureServices(
  services: readonly Service[] = SERVICES,
  machine: Machine = thisMachine(),
): Promise<boolean> {
  const isMissing = ({ find }: Service) => find() === null;
  const installable = () => services.filter(isMissing).filter(({ from }) => from === "npm" || machine.canInstall);
  if (installable().length > 0) {
    const lock = machine.lock();
    // Another run may have installed it while we waited.
    try {
      if (installable().length > 0) await install(installable(), machine);
    } finally {
      lock.release();
    }
  }
  const missing = services.filter(isMissing);
  for (const { name, neededBy, ...service } of missing) {
    machine.log(`${name} is missing; ${neededBy} need it. ${howToInstall(service)}`);
  }
  return missing.length === 0 || !machine.isCi;
}

function howToInstall({ from, package: wanted, apart }: Pick<Service, "from" | "package" | "apart">): string {
  if (from === "debian") return `Debian: apt-get install ${wanted}`;
  return apart === undefined ? `npm install --no-save ${wanted}` : "node tools/services.ts installs it";
}

async function install(services: readonly Service[], { run, log }: Machine): Promise<void> {
  const packagesFrom = (from: Service["from"], isApart = false) =>
    services.filter((service) => service.from === from && (service.apart !== undefined) === isApart);
  const names = (some: readonly Service[]) => some.map((service) => service.package);
  log(`Installing ${names(services).join(", ")} …`);
  const env = {
    DEBIAN_FRONTEND: "noninteractive",
    // npm chooses versions for the Node that runs it, and the machine's Node may be older than ours.
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  };
  const debian = packagesFrom("debian");
  if (debian.length > 0) {
    await runAll([
      ["apt-get", "update"],
      ["apt-get", "install", "-y", "--no-install-recommends", ...names(debian)],
    ]);
  }
  const beside = packagesFrom("npm");
  if (beside.length > 0) await runAll([["npm", "install", "--no-save", "--ignore-scripts", ...names(beside)]]);
  for (const { apart } of packagesFrom("npm", true)) {
    // Remains of another version, or of an interrupted installation, must not pass for this one.
    rmSync(apart!.folder, { recursive: true, force: true });
    cpSync(apart!.manifest, apart!.folder, { recursive: true });
    await runAll([["npm", "install", "--prefix", apart!.folder]]);
  }

  async function runAll(commands: string[][]): Promise<void> {
    for (const command of commands) {
      const { exitCode, output } = await run(command, { quiet: true, env });
      if (exitCode === 0) continue;
      log(`${command.join(" ")} failed:\n${output.trimEnd()}`);
      return;
    }
  }
}

const thisMachine = (): Machine => ({
  canInstall: process.getuid?.() === 0 && onPath("apt-get") !== null,
  isCi: process.env["CI"] === "true",
  run: runCommand,
  lock: () => {
    const lock = lockFile(join(tmpdir(), "trawl-install.lock"), LOCK_PATIENCE_MS);
    if (lock === null) throw new Error("another run has been installing for half an hour");
    return lock;
  },
  log: console.log,
});

/** Where an npm package is; null when it is not installed. */
function resolved(name: string): string | null {
  try {
    return import.meta.resolve(name);
  } catch {
    return null;
  }
}

/** nginx is in sbin, which is not on every user's path. */
function onPath(command: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin"];
  return folders.map((folder) => join(folder, command)).find(isExecutable) ?? null;
}

if (import.meta.main) process.exitCode = (await ensureServices()) ? 0 : 1;
