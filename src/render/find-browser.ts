/** Finds a browser that can render: headless shell first (it starts fastest), then Chromium, Chrome and Edge. */
import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

export interface BrowserChoice {
  executablePath: string;
  /** Who chose it: the `--browser` option, the TRAWL_BROWSER variable, or the search. */
  source: "option" | "environment" | "search";
}

type Environment = Readonly<Record<string, string | undefined>>;

const COMMANDS = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "microsoft-edge-stable",
  "microsoft-edge",
];

const MAC_PLACES = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

const WINDOWS_FOLDERS = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"];
const WINDOWS_PLACES = [
  "Chromium\\Application\\chrome.exe",
  "Google\\Chrome\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
];

/**
 * Returns null, never another browser, if the named one does not exist: the user wants exactly that one.
 * `exists` says whether a path is a file that can be run.
 */
export function findBrowser(
  explicit: string | null,
  env: Environment,
  exists: (path: string) => boolean,
): BrowserChoice | null {
  if (explicit) return named(explicit, "option", env, exists);
  const fromEnvironment = env["TRAWL_BROWSER"];
  if (fromEnvironment) return named(fromEnvironment, "environment", env, exists);
  const places = [
    ...COMMANDS.flatMap((command) => onPath(command, env)),
    ...MAC_PLACES,
    ...MAC_PLACES.map((place) => (env["HOME"] ? posix.join(env["HOME"], place) : "")),
    ...WINDOWS_PLACES.flatMap((place) => WINDOWS_FOLDERS.map((name) => windowsPlace(env, name, place))),
  ];
  const executablePath = places.find((place) => place !== "" && exists(place));
  return executablePath === undefined ? null : { executablePath, source: "search" };
}

/** A bare command name is looked up on the path, as a shell would. */
function named(
  name: string,
  source: BrowserChoice["source"],
  env: Environment,
  exists: (path: string) => boolean,
): BrowserChoice | null {
  const places = name.includes("/") || name.includes("\\") ? [name] : onPath(name, env);
  const executablePath = places.find(exists);
  return executablePath === undefined ? null : { executablePath, source };
}

function onPath(command: string, env: Environment): string[] {
  // A path with semicolons is a Windows one, where commands carry .exe.
  const path = env["PATH"] ?? env["Path"] ?? "";
  const windows = path.includes(";") || env["OS"] === "Windows_NT";
  return path
    .split(windows ? ";" : ":")
    .filter((folder) => folder !== "")
    .map((folder) => (windows ? win32.join(folder, `${command}.exe`) : posix.join(folder, command)));
}

/** Windows spells its variables in any case; Node's `process.env` hides that, a plain object does not. */
function windowsPlace(env: Environment, name: string, place: string): string {
  const folder = env[name] ?? env[name.toUpperCase()];
  return folder ? win32.join(folder, place) : "";
}

/** Whether a path is a program that we may run; used as `exists`. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // A folder may be "executable" too.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
