/**
 * Escapes ampersands that do not begin an entity, as in `<loc>https://example.com/?a=1&b=2</loc>`. This is the most common
 * mistake in sitemaps, and a strict parser would take everything up to the next `;` for the entity's name.
 */

const CDATA_START = "<![CDATA[";
const CDATA_END = "]]>";
const LONGEST_REFERENCE = 34;
const REFERENCE = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{0,31});/iy;

export interface AmpersandEscaper {
  /** Returns the text, including what was held back before; holds back an ending that cannot be decided yet. */
  write(text: string): string;
  end(): string;
  /** Some were escaped. */
  readonly escaped: boolean;
}

/** How many characters at the end of the text are a beginning of `mark`. */
function partialLength(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}

export function createAmpersandEscaper(): AmpersandEscaper {
  let held = "";
  let inCdata = false;
  let escaped = false;

  function escapeBare(text: string, last: boolean): string {
    let output = "";
    let position = 0;
    let cdata = text.indexOf(CDATA_START);
    while (position < text.length) {
      if (inCdata) {
        const end = text.indexOf(CDATA_END, position);
        if (end < 0) {
          const partial = last ? 0 : partialLength(text.slice(position), CDATA_END);
          held = text.slice(text.length - partial);
          return output + text.slice(position, text.length - partial);
        }
        output += text.slice(position, end + CDATA_END.length);
        position = end + CDATA_END.length;
        inCdata = false;
        continue;
      }
      if (cdata >= 0 && cdata < position) cdata = text.indexOf(CDATA_START, position);
      const ampersand = text.indexOf("&", position);
      if (cdata >= 0 && (ampersand < 0 || cdata < ampersand)) {
        output += text.slice(position, cdata + CDATA_START.length);
        position = cdata + CDATA_START.length;
        inCdata = true;
        continue;
      }
      if (ampersand < 0) {
        const partial = last ? 0 : partialLength(text, CDATA_START);
        held = text.slice(text.length - partial);
        return output + text.slice(position, text.length - partial);
      }
      output += text.slice(position, ampersand);
      position = ampersand;
      REFERENCE.lastIndex = ampersand;
      if (REFERENCE.test(text)) {
        output += text.slice(ampersand, REFERENCE.lastIndex);
        position = REFERENCE.lastIndex;
      } else if (!last && text.length - ampersand < LONGEST_REFERENCE) {
        held = text.slice(ampersand);
        return output;
      } else {
        output += "&amp;";
        position++;
        escaped = true;
      }
    }
    held = "";
    return output;
  }

  return {
    write: (text) => escapeBare(held + text, false),
    end: () => escapeBare(held, true),
    get escaped() {
      return escaped;
    },
  };
}
