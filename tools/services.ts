/**
 * Programs beside Node that tests need: finds them, installs what Debian packages where it may, and says what is missing.
 *
 * Nothing but Debian's own packages is ever downloaded, and those only by root. On CI a program that is still missing
 * is a failure, because tests that need it would skip and nobody would notice.
 */
import { join } from "node:path";
import { findBrowser } from "../src/render/find-browser.ts";
import { isExecutable } from "../src/render/is-executable.ts";
import { type CommandOptions, type Finished, runCommand } from "./command.ts";

export interface Service {
  name: string;
  /** Where it is; null when it is not there. */
  find: () => string | null;
  debianPackage: string;
  neededBy: string;
}

export const SERVICES: readonly Service[] = [
  {
    name: "Chromium",
    find: () => findBrowser(null, process.env, isExecutable)?.executablePath ?? null,
    debianPackage: "chromium-headless-shell",
    neededBy: "tests of rendering",
  },
  {
    name: "Chromium with a window",
    find: () => onPath("chromium"),
    debianPackage: "chromium",
    neededBy: "tests of the web app and the desktop",
  },
  {
    name: "Xvfb",
    find: () => onPath("Xvfb"),
    debianPackage: "xvfb",
    neededBy: "tests of the desktop",
  },
  {
    name: "ClickHouse",
    find: () => onPath("clickhouse-server"),
    debianPackage: "clickhouse-server",
    neededBy: "tests of loading atproto archives",
  },
  {
    name: "Redis",
    find: () => onPath("redis-server"),
    debianPackage: "redis-server",
    neededBy: "tests of crawls whose state is in Redis",
  },
  {
    name: "nginx",
    find: () => onPath("nginx"),
    debianPackage: "nginx-light",
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
  for (const { name, debianPackage, neededBy } of missing) {
    machine.log(`${name} is missing; ${neededBy} need it. Debian: apt-get install ${debianPackage}`);
  }
  return missing.length === 0 || !machine.isCi;
}

async function install(services: readonly Service[], { run, log }: Machine): Promise<void> {
  const packages = services.map(({ debianPackage }) => debianPackage);
  log(`Installing ${packages.join(", ")} …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const commands = [
    ["apt-get", "update"],
    ["apt-get", "install", "-y", "--no-install-recommends", ...packages],
  ];
  for (const command of commands) {
    const { exitCode, output } = await run(command, { quiet: true, env });
    if (exitCode === 0) continue;
    log(`${command.join(" ")} failed:\n${output.trimEnd()}`);
    return;
  }
}

const thisMachine = (): Machine => ({
  canInstall: process.getuid?.() === 0 && onPath("apt-get") !== null,
  isCi: process.env["CI"] === "true",
  run: runCommand,
  log: console.log,
});

/** nginx lives in sbin, which is not on everybody's path. */
function onPath(command: string): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin"];
  return folders.map((folder) => join(folder, command)).find(isExecutable) ?? null;
}

if (import.meta.main) process.exitCode = (await ensureServices()) ? 0 : 1;
