/** How this Trawl was installed, judged by the location of its package, and therefore what updates it. */
import { existsSync, readFileSync } from "node:fs";
import { posix, win32 } from "node:path";

export const PACKAGE_NAME = "trawl";

export const INSTALLED_BY = ["npm-global", "npm-local", "npx", "checkout", "container", "other"] as const;

export interface Installation {
  /** The folder of the package. */
  root: string;
  installedBy: (typeof INSTALLED_BY)[number];
  /** The command that updates it; null if that is not known. */
  command: string | null;
  /** The arguments with which npm updates exactly this installation; null where npm cannot. */
  npmArguments: string[] | null;
}

/** What the decision depends on besides the path. */
export interface Machine {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  exists(path: string): boolean;
  readText(path: string): string;
}

const thisMachine = (): Machine => ({
  platform: process.platform,
  env: process.env,
  exists: existsSync,
  readText: (path) => readFileSync(path, "utf8"),
});

const LATEST = `${PACKAGE_NAME}@latest`;
/** Docker and Podman create these. */
const CONTAINER_FILES = ["/.dockerenv", "/run/.containerenv"];
/** Projects that npm would damage. */
const OTHER_LOCKFILES = ["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];

/** `root` is the folder of the package, with links resolved. */
export function installationOf(root: string, machine: Machine = thisMachine()): Installation {
  const path = machine.platform === "win32" ? win32 : posix;
  const manual = (installedBy: Installation["installedBy"], command: string | null): Installation => ({
    root,
    installedBy,
    command,
    npmArguments: null,
  });
  const byNpm = (installedBy: Installation["installedBy"], flags: string[], prefix: string): Installation => ({
    root,
    installedBy,
    command: ["npm install", ...flags, LATEST].join(" "),
    // The prefix, because the npm on the PATH may belong to another Node, with other global packages.
    npmArguments: ["install", ...flags, "--prefix", prefix, "--no-audit", "--no-fund", "--json", LATEST],
  });

  const modules = path.dirname(root);
  const isPackage = path.basename(modules) === "node_modules";
  if (!isPackage && machine.exists(path.join(root, ".git"))) return manual("checkout", "git pull && npm ci");
  const holder = path.dirname(modules);
  const above = holder.split(path.sep);
  if (isPackage && above.at(-2) === "_npx") return manual("npx", `npx ${LATEST}`);
  // A package below another package belongs to that one.
  const isTopLevel = isPackage && !above.includes("node_modules");
  if (isTopLevel && isNpmProject(holder, machine, path)) return byNpm("npm-local", [], holder);
  // What npm changes inside a container is lost with the container.
  if (isContainer(machine)) return manual("container", "docker pull <image>");
  if (isTopLevel && !machine.exists(path.join(holder, "package.json"))) {
    if (machine.platform === "win32") return byNpm("npm-global", ["--global"], holder);
    if (path.basename(holder) === "lib") return byNpm("npm-global", ["--global"], path.dirname(holder));
  }
  return manual("other", null);
}

const isContainer = ({ env, exists }: Machine): boolean =>
  Boolean(env["container"] || env["KUBERNETES_SERVICE_HOST"]) || CONTAINER_FILES.some((file) => exists(file));

/** Whether this is the folder of a project that names Trawl as a dependency and is installed with npm. */
function isNpmProject(folder: string, { exists, readText }: Machine, { join }: typeof posix): boolean {
  if (OTHER_LOCKFILES.some((name) => exists(join(folder, name)))) return false;
  try {
    const project = JSON.parse(readText(join(folder, "package.json"))) as Record<string, Record<string, string>>;
    const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
    return kinds.some((kind) => Object.hasOwn(project[kind] ?? {}, PACKAGE_NAME));
  } catch {
    // There is no package.json, or it is not valid: npm would create one, or refuse to work with it.
    return false;
  }
}
