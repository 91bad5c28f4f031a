/** What pages load or link to besides other pages: styles, a font, images and a PDF, all made in code. */

import { crc32, deflateSync } from "node:zlib";
import { CATEGORIES } from "./data/products.ts";
import { PLACES } from "./places.ts";
import { type Resource, resource } from "./resource.ts";

const SITE_CSS = `@import "type.css";
@import url("/assets/print.css") print;
header { background-image: url(wave.svg); background-repeat: repeat-x; padding-top: 2.4rem; }
main img { max-width: 100%; height: auto; border-radius: 4px; }
footer { background: #16394a url('/assets/wave.svg?v=2') bottom repeat-x; padding-bottom: 2.4rem; }
`;

const TYPE_CSS = `@font-face { font-family: "Harbour Sans"; src: url("harbour-sans.woff2") format("woff2"); font-display: swap; }
h1 { font-family: "Harbour Sans", Georgia, serif; }
`;

const SKY = [196, 216, 224];
const SEA = [22, 74, 98];
const WOOD = [120, 84, 52];

export function* assets(): Generator<[string, Resource]> {
  yield ["/assets/site.css", resource("text/css; charset=utf-8", SITE_CSS)];
  yield ["/assets/type.css", resource("text/css; charset=utf-8", TYPE_CSS)];
  yield ["/assets/print.css", resource("text/css; charset=utf-8", "nav { display: none; }\n")];
  // Only the signature of a font: enough for a crawler, and browsers fall back to Georgia.
  yield ["/assets/harbour-sans.woff2", resource("font/woff2", Buffer.from("wOF2\0\x01\0\0", "latin1"))];
  yield ["/assets/icon.svg", resource("image/svg+xml", svg(32, 200))];
  yield ["/assets/wave.svg", resource("image/svg+xml", svg(24, 190))];
  yield ["/assets/harbour.png", resource("image/png", png(400, 120, SKY, SEA))];
  yield ["/assets/harbour-800.png", resource("image/png", png(800, 240, SKY, SEA))];
  yield ["/assets/shop-400.png", resource("image/png", png(400, 120, SKY, WOOD))];
  yield ["/assets/shop-800.png", resource("image/png", png(800, 240, SKY, WOOD))];
  for (const [index, category] of CATEGORIES.entries()) {
    yield [`/assets/${category.slug}.svg`, resource("image/svg+xml", svg(240, index * 40))];
    yield [`/assets/${category.slug}-large.svg`, resource("image/svg+xml", svg(480, index * 40))];
  }
  yield [PLACES.pdf, resource("application/pdf", pdf("Hook size chart"), { headers: { "x-robots-tag": "noindex" } })];
}

/** One page with one line of text (ISO 32000-1, 7.5: header, body, cross-reference table, trailer). */
function pdf(text: string): Buffer {
  const content = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets: string[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(String(file.length).padStart(10, "0"));
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${offset} 00000 n \n`).join("");
  const count = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    "latin1",
  );
}

/** A PNG of two bands, sky over sea (PNG specification, third edition, 5: signature, IHDR, IDAT, IEND). */
export function png(width: number, height: number, sky: readonly number[], sea: readonly number[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, true colour, no interlace.
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    const colour = y < height * 0.6 ? sky : sea;
    const start = y * (1 + width * 3) + 1;
    for (let x = 0; x < width; x++) rows.set(colour, start + x * 3);
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

export function svg(size: number, hue: number): string {
  const middle = size / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size}" height="${size}"><rect width="100%" height="100%" fill="hsl(${hue} 40% 88%)"/><path d="M${middle} ${size * 0.15}v${middle}a${size * 0.14} ${size * 0.14} 0 1 1-${size * 0.28} 0" fill="none" stroke="hsl(${hue} 45% 32%)" stroke-width="${size * 0.05}" stroke-linecap="round"/></svg>\n`;
}
