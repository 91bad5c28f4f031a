/** Small pictures made in code: flat PNGs with a horizon, and one SVG a shelf. */
import { crc32, deflateSync } from "node:zlib";

/** A PNG of two bands, sky over sea (PNG specification, third edition, 5: signature, IHDR, IDAT, IEND). */
export function png(width: number, height: number, sky: readonly number[], sea: readonly number[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a channel, true colour, no interlace.
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
