/**
 * llms.txt (llmstxt.org): Markdown that tells language models what a site is and which of its pages to read. An h1, perhaps a
 * quotation and some text, then h2 sections with lists of links.
 */

export interface LlmsFile {
  /** The addresses it lists, as written and without duplicates. */
  links: string[];
  /** What is wrong with it, one line each. */
  problems: string[];
}

const LINK = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const ITEM = /^\s{0,3}[-*+]\s+(\S.*)$/;
/** Examples are enough. */
const MOST_SHOWN = 3;
const MOST_LINKS = 50_000;

export function readLlms(text: string): LlmsFile {
  const lines = withoutCode(text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/));
  const links = new Set<string>();
  const titles: string[] = [];
  const bare: string[] = [];
  let sections = 0;
  for (const line of lines) {
    if (/^#\s+\S/.test(line)) titles.push(line);
    if (/^##\s+\S/.test(line)) sections++;
    for (const [, href] of line.matchAll(LINK)) if (links.size < MOST_LINKS) links.add(href!);
    const item = ITEM.exec(line)?.[1];
    if (sections > 0 && item !== undefined && !item.startsWith("[")) bare.push(item);
  }
  const first = lines.find((line) => line.trim() !== "");
  const problems = [
    ...(first === undefined ? ["The file is empty"] : []),
    ...(first !== undefined && !/^#\s+\S/.test(first) ? ["It does not begin with a title (# Name)"] : []),
    ...(titles.length > 1 ? [`It has ${titles.length} titles (# Name) instead of one`] : []),
    ...(first !== undefined && links.size === 0 ? ["It lists no links: [name](address)"] : []),
    ...(links.size > 0 && sections === 0 ? ["Its links are not in sections (## Name)"] : []),
    ...bare.slice(0, MOST_SHOWN).map((item) => `A list item that does not begin with a link: ${item.slice(0, 80)}`),
  ];
  return { links: [...links], problems };
}

/** Examples in code are not links. */
function withoutCode(lines: readonly string[]): string[] {
  let isCode = false;
  return lines.filter((line) => {
    const isFence = /^\s{0,3}(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode;
  });
}
