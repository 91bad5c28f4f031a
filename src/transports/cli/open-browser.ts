/** Opens an address in the person's browser, where there is one. */
import { type SpawnOptions, spawn } from "node:child_process";
import { type Clock, systemClock } from "../../kernel/clock.ts";

/** The opener says within this time that it found no browser; afterwards it is taken to be at work. */
const PATIENCE_MS = 1_500;

interface Started {
  once(event: "error" | "exit", listener: (value: unknown) => void): unknown;
  unref(): void;
}

export interface Desktop {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  start: (program: string, parameters: string[], options: SpawnOptions) => Started;
  clock: Clock;
}

/** Whether a browser was asked to open it. */
export function openBrowser(url: string, given: Partial<Desktop> = {}): Promise<boolean> {
  const desktop = { platform: process.platform, env: process.env, start: spawn, clock: systemClock, ...given };
  const command = openerOf(desktop, url);
  if (command === null) return Promise.resolve(false);
  const [program, ...parameters] = command;
  return new Promise((resolve) => {
    const child = desktop.start(program!, parameters, { stdio: "ignore", detached: true });
    const cancel = desktop.clock.after(PATIENCE_MS, () => resolve(true));
    const end = (opened: boolean): void => {
      cancel();
      resolve(opened);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
    child.unref();
  });
}

function openerOf({ platform, env }: Desktop, url: string): string[] | null {
  if (platform === "darwin") return ["open", url];
  // `start` is part of a shell, which would read the & of an address as its own.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["BROWSER"]);
  return hasScreen ? ["xdg-open", url] : null;
}
