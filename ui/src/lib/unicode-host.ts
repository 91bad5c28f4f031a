/**
 * Internationalised hosts as people read them: `münchen.de` for `xn--mnchen-3ya.de`. For showing only: a URL's own
 * form keeps the ASCII one. Labels that mix look-alike alphabets stay as they are, so that no name can pose as another.
 */

// Punycode (RFC 3492, section 5).
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE = 0x80;

/** The host with its `xn--` labels in Unicode; takes a host, an origin, or any text with hosts in it. */
export function unicodeHost(text: string): string {
  return text.includes("xn--") ? text.replace(/\bxn--[a-z0-9-]+/gi, (label) => unicodeLabel(label)) : text;
}

function unicodeLabel(label: string): string {
  const decoded = decodePunycode(label.slice(4).toLowerCase());
  return decoded === null || !/[^\0-\x7f]/.test(decoded) || isDeceptive(decoded) ? label : decoded;
}

/** Latin among Cyrillic or Greek letters, or characters that are no letters, digits or hyphens. */
const isDeceptive = (text: string): boolean =>
  !/^[\p{L}\p{M}\p{N}-]+$/u.test(text) ||
  (/\p{Script=Latin}/u.test(text) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text));

/** Null for what is not valid. */
function decodePunycode(input: string): string | null {
  const basic = input.lastIndexOf("-");
  const output = basic > 0 ? [...input.slice(0, basic)].map((letter) => letter.codePointAt(0)!) : [];
  let code = FIRST_CODE;
  let position = 0;
  let bias = FIRST_BIAS;
  for (let at = basic > 0 ? basic + 1 : 0; at < input.length; ) {
    const before = position;
    for (let weight = 1, step = BASE; ; step += BASE) {
      const digit = digitOf(input.charCodeAt(at++));
      if (digit === null) return null;
      position += digit * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, step - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > Number.MAX_SAFE_INTEGER / BASE) return null;
    }
    const length = output.length + 1;
    bias = adapt(position - before, length, before === 0);
    code += Math.floor(position / length);
    position %= length;
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
    output.splice(position++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let left = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  left += Math.floor(left / length);
  let bias = 0;
  for (; left > ((BASE - T_MIN) * T_MAX) >> 1; bias += BASE) left = Math.floor(left / (BASE - T_MIN));
  return bias + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW));
}

function digitOf(code: number): number | null {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : null;
}
