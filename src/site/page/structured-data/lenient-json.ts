/** JSON with the mistakes that people make: comments, commas before a bracket, line breaks in strings, quotes as character references. */

/** Throws if even this does not help. */
export function parseLeniently(text: string): unknown {
  return JSON.parse(repaired(text.includes('"') ? text : text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")));
}

function repaired(text: string): string {
  let out = "";
  for (let at = 0; at < text.length; ) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      out += text.slice(at, end).replaceAll(/[\u0000-\u001f]/g, escaped);
      at = end;
    } else if (character === "/" && (text[at + 1] === "/" || text[at + 1] === "*")) {
      const end = text[at + 1] === "/" ? text.indexOf("\n", at) : text.indexOf("*/", at + 2);
      at = end < 0 ? text.length : end + (text[at + 1] === "/" ? 1 : 2);
    } else {
      if (character === "}" || character === "]") out = out.replace(/,\s*$/, "");
      out += character;
      at++;
    }
  }
  return out.replace(/[;\s]+$/, "");
}

const escaped = (control: string): string => JSON.stringify(control).slice(1, -1);

/** The position after the quote that ends the text. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
