/** Files that a tool writes: rewritten, or with `--check` compared with what is committed. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diff } from "node:util";
import { ROOT } from "./command.ts";

export interface GeneratedFile {
  /** From the root of the repository. */
  path: string;
  text: string;
}

/** How many lines of a difference are shown: more would bury the first. */
const SHOWN_LINES = 60;

/** Writes the files, or compares them with `check`; prints what it did. False when a file differs. */
export function keepGenerated(files: readonly GeneratedFile[], check: boolean, command: string): boolean {
  const changed = files.filter(({ path, text }) => committed(path) !== text);
  for (const { path, text } of changed) {
    if (check) {
      console.error(`${path} is not what \`${command}\` writes:\n${difference(committed(path), text)}`);
    } else {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true });
      writeFileSync(join(ROOT, path), text);
      console.log(`wrote ${path}`);
    }
  }
  return !check || changed.length === 0;
}

function committed(path: string): string {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return "";
  }
}

/** Changed lines only, `-` for what is committed and `+` for what it should be. */
export function difference(before: string, after: string): string {
  const lines = diff(before.split("\n"), after.split("\n"))
    .filter(([kind]) => kind !== 0)
    .map(([kind, line]) => `${kind < 0 ? "-" : "+"} ${line}`);
  const more = lines.length - SHOWN_LINES;
  return more > 0 ? [...lines.slice(0, SHOWN_LINES), `  … and ${more} more lines`].join("\n") : lines.join("\n");
}
