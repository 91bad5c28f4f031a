/** A Node that is too old for Trawl, as a command. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const PRETEND = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } })`;

/** The machine's own Node if it is an old one; otherwise this one, which says that it is old. */
function oldNode(): string[] {
  const isOld = (path: string): boolean => {
    const version = spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout ?? "";
    return /^\d+\./.test(version) && Number.parseInt(version, 10) < 24;
  };
  const folders = ["/usr/bin", "/usr/local/bin", ...(process.env["PATH"] ?? "").split(delimiter)];
  const found = folders.map((folder) => join(folder, "node")).find((path) => existsSync(path) && isOld(path));
  if (found !== undefined) return [found];
  return [process.execPath, "--import", `data:text/javascript,${encodeURIComponent(PRETEND)}`];
}
export const OLD_NODE = oldNode();
