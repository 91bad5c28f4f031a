/** RESULTS.md: each benchmark has one section and rewrites only that. */
import { readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("RESULTS.md", import.meta.url));
const HEAD = "# Results\n\nWritten by the programs in this folder; the README says how to run them.\n";

export function writeSection(name: string, markdown: string): void {
  let text = HEAD;
  try {
    text = readFileSync(FILE, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  writeFileSync(FILE, replaceSection(text, name, markdown));
}

export function replaceSection(text: string, name: string, markdown: string): string {
  const first = `<!-- ${name} -->\n`;
  const last = `<!-- /${name} -->\n`;
  const section = `${first}${markdown.trimEnd()}\n${last}`;
  const start = text.indexOf(first);
  const end = text.indexOf(last, start);
  if (start < 0 || end < 0) return `${text.trimEnd()}\n\n${section}`;
  return text.slice(0, start) + section + text.slice(end + last.length);
}

/** The day, the machine and how busy it was, because figures mean nothing without them. */
export function circumstances(now: Date): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const processors = cpus();
  return `${now.toISOString().slice(0, 10)}, ${processors.length} × ${processors[0]?.model.trim()}, ${gibibytes} GiB, ${type()} ${release()} ${arch()}, load ${loadavg()[0]!.toFixed(1)}`;
}

/** A Markdown table; the first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}
