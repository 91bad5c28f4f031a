/**
 * Guesses the encoding of a page that declares none and is not UTF-8. East Asian encodings are recognised by the shape
 * of their byte pairs, which even a title shows; single-byte ones by chardet, from how often letters follow each other.
 */
import chardet from "chardet";

/** How many bytes are examined: enough words for a sure guess. */
const SAMPLE_BYTES = 64 * 1024;
/** Below this, chardet's best is as good as any. */
const MIN_CONFIDENCE = 20;
/** Other Latin alphabets must be this much likelier than the western one, which most undeclared pages are in. */
const LATIN_LEAD = 20;
/** Fewer letters beyond ASCII may be anything. */
const MIN_LETTERS = 4;

/**
 * The encodings chardet may find, under our names. It knows others, but they are these under labels that browsers treat
 * as the same.
 */
const SINGLE_BYTE: Readonly<Record<string, string>> = {
  "windows-1251": "windows-1251",
  "KOI8-R": "koi8-r",
  "ISO-8859-5": "iso-8859-5",
  "ISO-8859-6": "windows-1256",
  "windows-1256": "windows-1256",
  "ISO-8859-7": "windows-1253",
  "windows-1253": "windows-1253",
  "ISO-8859-8": "windows-1255",
  "windows-1255": "windows-1255",
};
const LATIN: Readonly<Record<string, string>> = {
  "ISO-8859-2": "iso-8859-2",
  "windows-1250": "windows-1250",
  "ISO-8859-9": "windows-1254",
  "windows-1254": "windows-1254",
};
const WESTERN: ReadonlySet<string> = new Set(["ISO-8859-1", "windows-1252"]);

/** The name of the encoding, or null when nothing is likelier than windows-1252. */
export function guessCharset(body: Buffer): string | null {
  const text = withoutTags(body.subarray(0, SAMPLE_BYTES));
  return eastAsian(text) ?? byLetters(text);
}

function byLetters(text: Buffer): string | null {
  if (text.reduce((count, byte) => count + (byte >> 7), 0) < MIN_LETTERS) return null;
  let western = 0;
  for (const { name, confidence } of chardet.analyse(text))
    if (WESTERN.has(name)) western = Math.max(western, confidence);
  for (const { name, confidence } of chardet.analyse(text)) {
    if (confidence < MIN_CONFIDENCE) return null;
    if (name in SINGLE_BYTE) return confidence > western ? SINGLE_BYTE[name]! : null;
    if (name in LATIN && confidence > western + LATIN_LEAD) return LATIN[name]!;
    if (WESTERN.has(name)) return null;
  }
  return null;
}

/** Byte pairs that an encoding allows, and how many of them are characters found in every text in that encoding. */
interface Pairs {
  encoding: string;
  isPair: (lead: number, trail: number) => boolean;
  isCommon: (lead: number, trail: number) => boolean;
  /** The share of pairs that are common ones in real texts. */
  least: number;
}

const within = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;
const isHigh = (byte: number): boolean => within(byte, 0xa1, 0xfe);

/** In the order in which they are tried: kana occur only in Japanese, hangul of these rows mostly in Korean. */
const EAST_ASIAN: readonly Pairs[] = [
  {
    encoding: "shift_jis",
    isPair: (lead, trail) =>
      (within(lead, 0x81, 0x9f) || within(lead, 0xe0, 0xfc)) && within(trail, 0x40, 0xfc) && trail !== 0x7f,
    isCommon: (lead, trail) =>
      (lead === 0x82 && within(trail, 0x9f, 0xf1)) || (lead === 0x83 && within(trail, 0x40, 0x96)),
    least: 0.2,
  },
  {
    encoding: "euc-jp",
    isPair: (lead, trail) => isHigh(lead) && isHigh(trail),
    isCommon: (lead, trail) =>
      (lead === 0xa4 && within(trail, 0xa1, 0xf3)) || (lead === 0xa5 && within(trail, 0xa1, 0xf6)),
    least: 0.2,
  },
  {
    encoding: "euc-kr",
    isPair: (lead, trail) => within(lead, 0x81, 0xfd) && within(trail, 0x41, 0xfe),
    isCommon: (lead, trail) => within(lead, 0xb0, 0xc8) && isHigh(trail),
    least: 0.95,
  },
  {
    encoding: "gb18030",
    isPair: (lead, trail) => within(lead, 0xa1, 0xf7) && isHigh(trail),
    isCommon: (lead) => within(lead, 0xb0, 0xd7) || lead === 0xa1 || lead === 0xa3,
    least: 0.8,
  },
  {
    encoding: "big5",
    isPair: (lead, trail) => within(lead, 0xa1, 0xf9) && (within(trail, 0x40, 0x7e) || isHigh(trail)),
    isCommon: (lead) => within(lead, 0xa1, 0xa1) || within(lead, 0xa4, 0xc6),
    least: 0.8,
  },
];
/** Fewer pairs may be a western word with two accents. */
const MIN_PAIRS = 3;

function eastAsian(text: Buffer): string | null {
  for (const { encoding, isPair, isCommon, least } of EAST_ASIAN) {
    let pairs = 0;
    let common = 0;
    let broken = 0;
    for (let at = 0; at < text.length; at++) {
      const lead = text[at]!;
      if (lead < 0x80) continue;
      const trail = text[at + 1] ?? 0;
      if (isPair(lead, trail)) {
        pairs++;
        at++;
        if (isCommon(lead, trail)) common++;
      } else broken++;
    }
    // A character cut at the end of the sample, or a stray byte in a long text, does not count.
    if (pairs >= MIN_PAIRS && broken <= pairs / 100 && common >= pairs * least) return encoding;
  }
  return null;
}

/** The text between tags: element and attribute names belong to no language. */
function withoutTags(html: Buffer): Buffer {
  const text = Buffer.alloc(html.length);
  let length = 0;
  let inTag = false;
  for (const byte of html) {
    if (byte === 0x3c) inTag = true;
    else if (byte === 0x3e && inTag) {
      inTag = false;
      text[length++] = 0x20;
    } else if (!inTag) text[length++] = byte;
  }
  return text.subarray(0, length);
}
