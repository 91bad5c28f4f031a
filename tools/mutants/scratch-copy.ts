/** A copy of the checkout to which a mutant can be applied: separate files, shared packages. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../command.ts";

/** The folders that tests read; pictures and benchmarks are left out. */
const NEEDED = ["src", "test", "tools", "bin", "ui", "docs", "examples", "*.json", "*.md"];

export class ScratchCopy implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "trawl-mutants-"));

  constructor() {
    for (const path of neededFiles()) cpSync(join(ROOT, path), join(this.folder, path));
    symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Tracked files and new ones, without those that were deleted. */
function neededFiles(): string[] {
  const list = (...flags: string[]): string[] =>
    execFileSync("git", ["ls-files", "-z", ...flags, "--", ...NEEDED, ":!docs/screenshots"], { cwd: ROOT })
      .toString()
      .split("\0")
      .filter((path) => path !== "");
  const deleted = new Set(list("--deleted"));
  return list("--cached", "--others", "--exclude-standard").filter((path) => !deleted.has(path));
}
