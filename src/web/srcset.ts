/** The URLs of a `srcset` attribute (WHATWG HTML, 4.8.4.2.2 "Parsing a srcset attribute"). */

/** Every candidate that a browser would consider, in order. Candidates with an invalid descriptor are left out. */
export function srcsetUrls(srcset: string): string[] {
  const urls: string[] = [];
  let index = 0;
  for (;;) {
    while (index < srcset.length && (isSpace(srcset.charCodeAt(index)) || srcset[index] === ",")) index++;
    if (index >= srcset.length) return urls;
    const start = index;
    while (index < srcset.length && !isSpace(srcset.charCodeAt(index))) index++;
    let end = index;
    // A comma inside a URL belongs to it; commas at its end separate candidates.
    while (srcset[end - 1] === ",") end--;
    const url = srcset.slice(start, end);
    if (end < index) {
      urls.push(url);
      continue;
    }
    const descriptorsEnd = endOfDescriptors(srcset, index);
    if (areDescriptorsValid(srcset.slice(index, descriptorsEnd))) urls.push(url);
    index = descriptorsEnd + 1;
  }
}

/** The next comma that is not inside parentheses, or the end. */
function endOfDescriptors(srcset: string, from: number): number {
  let inParentheses = false;
  for (let index = from; index < srcset.length; index++) {
    const character = srcset[index];
    if (character === "(") inParentheses = true;
    else if (character === ")") inParentheses = false;
    else if (character === "," && !inParentheses) return index;
  }
  return srcset.length;
}

const WIDTH_OR_HEIGHT = /^[0-9]+[wh]$/;
const DENSITY = /^-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?x$/i;

function areDescriptorsValid(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === "") return true;
  let widths = 0;
  let densities = 0;
  let heights = 0;
  for (const descriptor of trimmed.split(/[\t\n\f\r ]+/)) {
    if (WIDTH_OR_HEIGHT.test(descriptor)) {
      const value = Number(descriptor.slice(0, -1));
      if (value === 0) return false;
      if (descriptor.endsWith("w")) widths++;
      else heights++;
    } else if (DENSITY.test(descriptor)) {
      if (Number.parseFloat(descriptor) < 0) return false;
      densities++;
    } else {
      return false;
    }
  }
  // A width excludes a density; a height is allowed only together with a width.
  return widths <= 1 && densities <= 1 && heights <= 1 && widths + densities <= 1 && (heights === 0 || widths === 1);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11);
}
