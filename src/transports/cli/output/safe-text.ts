/**
 * Makes terminal output harmless: characters that move the cursor, set colours, reverse text or are invisible are written as
 * \u001b, which is the same text in JSON. Only for terminals: a file or a pipe gets every byte as it is.
 */
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { UNSAFE } from "../../texts.ts";

/** What our own output contains: line breaks and tabs, our colours, and the start of a line that is written again. */
const OWN = /[\n\t]|\u001b\[(?:1|2|22|31|32|33|39)m|\r\u001b\[2K/;
const OWN_OR_UNSAFE = new RegExp(`(${OWN.source})|${UNSAFE.source}`, "gu");
const FOREIGN = new RegExp(`([\\n\\t]|\\r\\n)|${UNSAFE.source}`, "gu");

/** Our own text. Its foreign parts were cleaned before; this catches any that were missed. */
export const safeText = (text: string): string => escapeUnless(text, OWN_OR_UNSAFE);

/** Foreign text, such as an export. */
export const safeForeignText = (text: string): string => escapeUnless(text, FOREIGN);

const escapeUnless = (text: string, marks: RegExp): string =>
  text.replace(marks, (mark, allowed: string | undefined) => allowed ?? escaped(mark));

/** By UTF-16 units, as JSON writes them. */
const escaped = (mark: string): string =>
  Array.from({ length: mark.length }, (_, at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");

/** A stream that writes foreign text to a terminal. Ending it leaves the terminal open. */
export function safeStream(terminal: Writable): Writable {
  const decoder = new StringDecoder("utf8");
  const stream = new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => void terminal.write(safeForeignText(decoder.write(chunk)), done),
    final: (done) => void terminal.write(safeForeignText(decoder.end()), done),
  });
  // Reported by the terminal itself.
  stream.on("error", () => {});
  return stream;
}
