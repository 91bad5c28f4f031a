/**
 * Programs beside Node that tests need: finds them, installs what Debian packages where it may, and says what is missing.
 *
 * Nothing but packages of Debian and of npm's registry is ever downloaded, Debian's only by root. On CI a program that is
 * still missing is a failure, because tests that need it would skip and nobody would notice.
 */
import { join } from "node:path";
import { findBrowser } from "../src/render/find-browser.ts";
import { isExecutable } from "../src/render/is-executable.ts";
import { type CommandOptions, type Finished, runCommand } from "./command.ts";

export interface Service {
  name: string;
  /** Where it is; null when it is not there. */
  find: () => string | null;
  /** Where it comes from: a package of Debian, or of npm when it is too large to come with every checkout. */
  from: "debian" | "npm";
  package: string;
  neededBy: string;
}

export const SERVICES: readonly Service[] = [
  {
    name: "Chromium",
    find: () => findBrowser(null, process.env, isExecutable)?.executablePath ?? null,
    from: "debian",
    package: "chromium-headless-shell",
    neededBy: "tests of rendering",
  },
  {
    name: "Chromium with a window",
    find: () => onPath("chromium"),
    from: "debian",
    package: "chromium",
    neededBy: "tests of the web app and the desktop",
  },
  {
    name: "Xvfb",
    find: () => onPath("Xvfb"),
    from: "debian",
    package: "xvfb",
    neededBy: "tests of the desktop",
  },
  {
    name: "ClickHouse",
    find: () => onPath("clickhouse-server"),
    from: "debian",
    package: "clickhouse-server",
    neededBy: "tests of loading atproto archives",
  },
  {
    name: "chDB",
    find: () => resolved("chdb"),
    from: "npm",
    package: "chdb@^3.4.0",
    neededBy: "tests of queries over atproto archives",
  },
  {
    name: "Redis",
    find: () => onPath("redis-server"),
    from: "debian",
    package: "redis-server",
    neededBy: "tests of crawls whose state is in Redis",
  },
  {
    name: "nginx",
    find: () => onPath("nginx"),
    from: "debian",
    package: "nginx-light",
    neededBy: "npm run bench",
  },
];

export interface Machine {
  /** Packages can be installed: it is Debian or a child of it, and we are root. */
  canInstall: boolean;
  isCi: boolean;
  run: (command: readonly string[], options: CommandOptions) => Promise<Finished>;
  log: (line: string) => void;
}

/** True when everything is there, or when its absence may be borne. */
export async function ensureServices(
  services: readonly Service[] = SERVICES,
  machine: Machine = thisMachine(),
): Promise<boolean> {
  const isMissing = ({ find }: Service) => find() === null;
  const wanted = services.filter(isMissing);
  if (wanted.length > 0 && machine.canInstall) await install(wanted, machine);
  const missing = wanted.filter(isMissing);
  for (const { name, from, package: wantedPackage, neededBy } of missing) {
    const how = from === "debian" ? "Debian: apt-get install" : "npm install --no-save";
    machine.log(`${name} is missing; ${neededBy} need it. ${how} ${wantedPackage}`);
  }
  return missing.length === 0 || !machine.isCi;
}

async function install(services: readonly Service[], { run, log }: Machine): Promise<void> {
  const packagesFrom = (from: Service["from"]) =>
    services.filter((service) => service.from === from).map((service) => service.package);
  const [debian, npm] = [packagesFrom("debian"), packagesFrom("npm")];
  log(`Installing ${[...debian, ...npm].join(", ")} …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  if (debian.length > 0) {
    await runAll([
      ["apt-get", "update"],
      ["apt-get", "install", "-y", "--no-install-recommends", ...debian],
    ]);
  }
  if (npm.length > 0) await runAll([["npm", "install", "--no-save", "--ignore-scripts", ...npm]]);

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
  log: console.log,
});

/** Where a package of npm is; null when it is not installed. */
function resolved(name: string): string | null {
  try {
    return import.meta.resolve(name);
  } catch {
    return null;
  }
}

/** nginx lives in sbin, which is not on everybody's path. */
function onPath(command: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin"];
  return folders.map((folder) => join(folder, command)).find(isExecutable) ?? null;
}

if (import.meta.main) process.exitCode = (await ensureServices()) ? 0 : 1;
