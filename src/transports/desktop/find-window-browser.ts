/** The browser that shows the window, or the reason why there can be none. */
import { basename } from "node:path";
import { TrawlError } from "../../errors.ts";
import { findBrowser } from "../../render/find-browser.ts";

export interface Surroundings {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  isExecutable: (path: string) => boolean;
}

/** Its whole purpose is to have no window. */
const isHeadless = (path: string): boolean => /headless/i.test(basename(path));

/** `named` is what was given with --browser. */
export function findWindowBrowser(named: string | null, { platform, env, isExecutable }: Surroundings): string {
  const found = findBrowser(named, env, (path) => !isHeadless(path) && isExecutable(path));
  if (found === null) {
    const wanted = named ?? env["TRAWL_BROWSER"];
    throw new TrawlError(
      "WINDOW_NO_BROWSER",
      wanted ? `"${wanted}" is not there, or is no browser that can open a window.` : undefined,
    );
  }
  // Windows and macOS always have one.
  const needsScreen = platform !== "win32" && platform !== "darwin";
  if (needsScreen && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) throw new TrawlError("WINDOW_NO_SCREEN");
  return found.executablePath;
}
