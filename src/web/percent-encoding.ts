/**
 * Percent-encoding: one spelling for every `%XX` (RFC 3986, 6.2.2), and the queries of pages that are not in UTF-8.
 *
 * On such a page, browsers encode queries in the page's own encoding (WHATWG HTML, "encoding-parse a URL"), so
 * `?q=日本` on a Shift_JIS page asks for `?q=%93%FA%96{`. This applies to queries only: paths are UTF-8 everywhere.
 */

const PERCENT = 0x25;

/** Letters, digits and `-._~`: the only characters whose encoded and plain forms are always equivalent (RFC 3986, 2.3). */
function isUnreserved(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f ||
    code === 0x7e
  );
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

/**
 * Gives every `%XX` its one spelling. A `%` that does not start a valid pair is left alone, and nothing is decoded within
 * two characters after it: `%4%31` would become `%41`, which a second pass would read as `A`. So the result of a
 * second pass is always the same as that of the first.
 */
export function normalizePercent(text: string): string {
  let next = text.indexOf("%");
  if (next < 0) return text;
  let output = "";
  let copied = 0;
  let strayUntil = -1;
  while (next >= 0) {
    const high = hexValue(text.charCodeAt(next + 1));
    const low = high < 0 ? -1 : hexValue(text.charCodeAt(next + 2));
    if (low < 0) {
      strayUntil = next + 2;
      next = text.indexOf("%", next + 1);
      continue;
    }
    const code = high * 16 + low;
    output += text.slice(copied, next);
    const decode = isUnreserved(code) && next > strayUntil;
    output += decode ? String.fromCharCode(code) : text.slice(next, next + 3).toUpperCase();
    copied = next + 3;
    next = text.charCodeAt(copied) === PERCENT ? copied : text.indexOf("%", copied);
  }
  return output + text.slice(copied);
}

/** How each character is written in a query. */
type Table = ReadonlyMap<string, string>;

const tables = new Map<string, Table>();

/** The encodings with two octets per character, with the first octets that encoders do not use. */
const TWO_OCTETS: Readonly<Record<string, (lead: number) => boolean>> = {
  // Vendors' second copies of characters (WHATWG Encoding, "index Shift_JIS pointer").
  shift_jis: (lead) => lead === 0xed || lead === 0xee,
  // Hong Kong's additions are only ever read ("index Big5 pointer").
  big5: (lead) => lead < 0xa1,
  // The Euro of GBK.
  gb18030: (lead) => lead === 0x80,
  ...{ "euc-jp": () => false, "euc-kr": () => false, gbk: () => false },
};

/** Browsers use UTF-8 for these too, or they are too rare to be worth a table: ISO-2022-JP, for example, has states. */
const LEFT_ALONE = /^(?:utf-|iso-2022-jp$|x-user-defined$)/;

/** The encoding of a page's queries; null for UTF-8, which needs no conversion. */
export function queryCharset(charset: string | null): string | null {
  return charset === null || LEFT_ALONE.test(charset) ? null : charset;
}

/** The href with its query in that encoding. Characters that the encoding lacks become `&#…;`, as in a form. */
export function encodeQuery(href: string, charset: string): string {
  const question = href.indexOf("?");
  const hash = href.indexOf("#");
  if (question < 0 || (hash >= 0 && hash < question)) return href;
  const end = hash < 0 ? href.length : hash;
  const query = href.slice(question, end);
  if (!NOT_ASCII.test(query)) return href;
  const table = tableOf(charset);
  const encoded = query.replace(
    EACH_NOT_ASCII,
    (character) => table.get(character) ?? `%26%23${character.codePointAt(0)}%3B`,
  );
  return href.slice(0, question) + encoded + href.slice(end);
}

const NOT_ASCII = /[^\0-\x7f]/;
const EACH_NOT_ASCII = /[^\0-\x7f]/gu;

function tableOf(charset: string): Table {
  let table = tables.get(charset);
  if (table === undefined) {
    table = makeTable(charset);
    tables.set(charset, table);
  }
  return table;
}

/** Node can only decode, so the table is built by decoding all octets. This takes about 50 ms, once per encoding. */
function makeTable(charset: string): Table {
  const decoder = new TextDecoder(charset, { fatal: true });
  const table = new Map<string, string>();
  const add = (...octets: number[]): boolean => {
    try {
      const character = decoder.decode(Uint8Array.from(octets));
      if ([...character].length === 1 && !table.has(character)) table.set(character, octets.map(written).join(""));
      return true;
    } catch {
      return false;
    }
  };
  const isUnused = TWO_OCTETS[charset];
  for (let lead = 0x80; lead <= 0xff; lead++) {
    if (isUnused?.(lead) || add(lead) || isUnused === undefined) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  }
  return table;
}

/** ASCII octets are written as they are; every second octet that is ASCII may occur in a query. */
const written = (octet: number): string =>
  octet < 0x80 ? String.fromCharCode(octet) : `%${octet.toString(16).toUpperCase()}`;
