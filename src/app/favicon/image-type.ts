/** What kind of image bytes are, by how they begin: what a server calls them is not to be trusted. */

export const IMAGE_TYPES = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/x-icon",
  "image/svg+xml",
] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** Where the element of an SVG begins at the latest: after a declaration, a comment and a document type. */
const SVG_HEAD = 2_048;

/** Null when it is not an image that browsers show. */
export function imageType(bytes: Buffer): ImageType | null {
  const starts = (text: string, at = 0) => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  if (starts("ftypavif", 4)) return "image/avif";
  if (starts("BM")) return "image/bmp";
  if (starts("\x00\x00\x01\x00")) return "image/x-icon";
  return isSvg(bytes.toString("utf8", 0, SVG_HEAD)) ? "image/svg+xml" : null;
}

/** The first element is `svg`, whatever declarations and comments come before it. */
function isSvg(head: string): boolean {
  let rest = head.replace(/^\ufeff/, "").trimStart();
  for (;;) {
    const before = /^<(\?|!--|!)/.exec(rest)?.[1];
    if (before === undefined) return /^<svg[\s/>]/i.test(rest);
    const end = before === "!--" ? "-->" : ">";
    const at = rest.indexOf(end, 2);
    if (at < 0) return false;
    rest = rest.slice(at + end.length).trimStart();
  }
}
