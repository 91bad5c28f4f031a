/** How many columns a text takes in a terminal, and cutting it to fit. Texts here are clean: no control characters. */

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO = /\p{Mn}|\p{Me}|\u200b|\u200c|\u200d/u;
const PLAIN = /^[\u0020-\u007e]*$/;
const STYLES = /\u001b\[\d+m/g;

/** Columns of a text; our own colours take none. */
export function widthOf(text: string): number {
  const bare = text.replace(STYLES, "");
  if (PLAIN.test(bare)) return bare.length;
  let width = 0;
  for (const character of bare) width += widthOfCharacter(character);
  return width;
}

/** Cuts a text without colours to a number of columns, and shows that it did. */
export function cut(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - widthOf(text)));
export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - widthOf(text))) + text;

/** Breaks a text at blanks; a word longer than a line stays whole, so that it can still be copied. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function widthOfCharacter(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
