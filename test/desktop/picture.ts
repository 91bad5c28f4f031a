/** A picture of a screen: read from what Xvfb keeps in its frame buffer file (XWD), looked at, and written as PNG. */
import { crc32, deflateSync } from "node:zlib";

export interface Picture {
  width: number;
  height: number;
  /** Red, green and blue of every pixel, row by row. */
  pixels: Buffer;
}

/** XWDFile.h: a header of 32-bit big-endian numbers, then colours of 12 bytes each, then rows of blue, green, red, nothing. */
const HEADER = { size: 0, width: 16, height: 20, byteOrder: 28, bitsPerPixel: 44, bytesPerLine: 48, colours: 76 };

export function readXwd(file: Buffer): Picture {
  const field = (name: keyof typeof HEADER): number => file.readUInt32BE(HEADER[name]);
  if (field("bitsPerPixel") !== 32 || field("byteOrder") !== 0) throw new Error("a screen of another kind");
  const [width, height, bytesPerLine] = [field("width"), field("height"), field("bytesPerLine")];
  const start = field("size") + field("colours") * 12;
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = start + y * bytesPerLine + x * 4;
      pixels[to++] = file[from + 2]!;
      pixels[to++] = file[from + 1]!;
      pixels[to++] = file[from]!;
    }
  }
  return { width, height, pixels };
}

/** How many pixels have each colour; a blank screen has one colour. */
export function countColours({ pixels }: Picture): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return counts;
}

export function writePng({ width, height, pixels }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits each of red, green and blue.
  header.set([8, 2], 8);
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y++) pixels.copy(rows, y * (width * 3 + 1) + 1, y * width * 3, (y + 1) * width * 3);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = Buffer.alloc(0);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", end)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
