/** Tables and code in Markdown. */

/** Cells may hold any text: what would end a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `| ${head.map(() => "---").join(" | ")} |`, ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export const code = (text: string): string => `\`${text}\``;

export const codeBlock = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** What stands on top of every generated page. */
export const generatedNote = (source: string): string =>
  `<!-- Written by \`npm run docs\` from ${source}; edit that instead. -->`;

/** The first cells of all rows of a page's tables, code marks taken off: for tests that compare page and table. */
export function firstCells(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text]) => text!);
}
