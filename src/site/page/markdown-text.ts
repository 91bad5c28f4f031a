/** Text of a page as Markdown text: what it says stays, and none of it becomes markup. */

/**
 * Characters that begin markup anywhere in a line. A piece of text may end anywhere, so those whose meaning depends on
 * what follows count at its end as well. An underscore inside a word is none: names_like_this stay as they are.
 */
const INLINE = /[\\`*[\]<~]|&(?=[#a-zA-Z]|$)|!(?=\[|$)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** What makes a line something else than text when it stands first. */
const LINE_START = /^(?:[-+=>:]|#{1,6}(?=\s|$)|\d{1,9}(?=[.)](?:\s|$)))/;

/** Control characters say nothing in text, and too much on a terminal. */
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/g;

export const withoutControls = (text: string): string => text.replace(CONTROLS, "");

export const escapeInline = (text: string): string => text.replace(INLINE, "\\$&");

/** Lines that are text already, kept from being headings, lists, quotes or rules. */
export const escapeLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => {
      const start = LINE_START.exec(line)?.[0];
      if (start === undefined) return line;
      // Of "1." the dot is escaped: a backslash before a digit would be shown.
      return /^\d/.test(start) ? `${start}\\${line.slice(start.length)}` : `\\${line}`;
    })
    .join("\n");

/** Code between backticks, more of them than it has in a row itself. */
export function inlineCode(code: string): string {
  const fence = "`".repeat(longestRun(code) + 1);
  const pad = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + pad + code + pad + fence;
}

export function codeBlock(code: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** A URL as it stands between the brackets of a link, in a table or not. */
export const linkTarget = (url: string): string =>
  url.replace(/[()\\<>|\s]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
