/** The browser for the window: which one is used, or why none can be, and its command line. */

import { basename } from "node:path";
import { TrawlError } from "../../errors.ts";
import { findBrowser } from "../../render/find-browser.ts";
import type { WindowPlace } from "./window-memory.ts";

export interface Surroundings {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  isExecutable: (path: string) => boolean;
}

/** Cannot open a window. */
const isHeadless = (path: string): boolean => /headless/i.test(basename(path));

/** `named` is what was given with --browser. */
export function findWindowBrowser(named: string | null, { platform, env, isExecutable }: Surroundings): string {
  const found = findBrowser(named, env, (path) => !isHeadless(path) && isExecutable(path));
  if (found === null) {
    const wanted = named ?? env["TRAWL_BROWSER"];
    throw new TrawlError(
      "WINDOW_NO_BROWSER",
      wanted ? `"${wanted}" does not exist, or is not a browser that can open a window.` : undefined,
    );
  }
  // Windows and macOS always have one.
  const needsScreen = platform !== "win32" && platform !== "darwin";
  if (needsScreen && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) throw new TrawlError("WINDOW_NO_SCREEN");
  return found.executablePath;
}

/** The command line of the window's browser: no tabs, no questions, no traffic of its own. */
const FLAGS = [
  // Through a pipe, no other process can control it, and it ends when we do, even after kill -9.
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-search-engine-choice-screen",
  "--hide-crash-restore-bubble",
  // The profile contains only a short-lived cookie: no reason to ask for the key ring's password.
  "--password-store=basic",
  "--use-mock-keychain",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-features=MediaRouter,OptimizationHints,Translate",
  "--disable-sync",
  "--no-pings",
  // /dev/shm is 64 MB in a container, and Chromium crashes when it is full.
  "--disable-dev-shm-usage",
];

/** Large enough for tables, small enough for a laptop screen. */
const FIRST_SIZE = { width: 1280, height: 800 };

export interface WindowStart {
  /** The first address of the window; every user of the machine can read it in the list of processes. */
  url: string;
  profile: string;
  place: WindowPlace | null;
  /** Chromium's sandbox does not run as root. */
  isRoot: boolean;
}

export function windowArguments({ url, profile, place, isRoot }: WindowStart): string[] {
  const { width, height } = place ?? FIRST_SIZE;
  return [
    ...FLAGS,
    `--app=${url}`,
    `--user-data-dir=${profile}`,
    `--window-size=${width},${height}`,
    ...(place === null ? [] : [`--window-position=${place.left},${place.top}`]),
    ...(place?.isMaximized ? ["--start-maximized"] : []),
    ...(isRoot ? ["--no-sandbox"] : []),
  ];
}
