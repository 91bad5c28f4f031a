/** Runs npm, which knows its registry, proxy and credentials. */
import { existsSync } from "node:fs";
import { win32 } from "node:path";

/** Runs npm with these arguments and returns its output. */
export type RunNpm = (args: string[], options?: { timeoutMs?: number }) => Promise<string>;

/** npm itself gives up only after minutes, which is too long for a question. */
const QUESTION_MS = 10_000;
/** `npm install --json` lists every package that it changed. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

export const npm: RunNpm = async (args, { timeoutMs = QUESTION_MS } = {}) => {
  // Loaded here, because most commands check nothing, and loading it takes Node some time.
  const { execFile } = await import("node:child_process");
  const [file, ...first] = npmProgram();
  // npm would also check for a newer npm.
  const env = { ...process.env, npm_config_update_notifier: "false" };
  const options = { env, timeout: timeoutMs, windowsHide: true, maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve, reject) => {
    execFile(file, [...first, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.code === "ENOENT") reject(new Error("npm was not found on the PATH"));
      else if (error.killed) reject(new Error(`npm did not answer in ${timeoutMs / 1000} seconds`));
      else reject(new Error(npmProblem(stdout) ?? (stderr.trim() || error.message)));
    });
  });
};

/** On Windows, npm is a script that only a shell can start, but Node can run the program that the script starts. */
export function npmProgram(
  { platform, env, execPath }: Pick<NodeJS.Process, "platform" | "env" | "execPath"> = process,
  exists: (path: string) => boolean = existsSync,
): [file: string, ...args: string[]] {
  if (platform !== "win32") return ["npm"];
  const folders = [...(env["PATH"] ?? env["Path"] ?? "").split(win32.delimiter), win32.dirname(execPath)];
  const scripts = folders.map((folder) => win32.join(folder, "node_modules", "npm", "bin", "npm-cli.js"));
  const script = scripts.find((path, at) => folders[at] !== "" && exists(path));
  return script === undefined ? ["npm"] : [execPath, script];
}

/** With --json, npm prints errors to standard output. */
function npmProblem(printed: string): string | null {
  try {
    const { summary, code } = (JSON.parse(printed) as { error: { summary?: string; code?: string } }).error;
    return summary?.trim() || code || null;
  } catch {
    return null;
  }
}
