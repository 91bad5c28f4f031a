/** The page being scanned, as a string and as its UTF-16 code units at the same indices. */

/**
 * Reading code units from a typed array is 1.5 to 3 times faster than `charCodeAt`, and the copy costs 0.1 ns a
 * character; so the scanner reads `codes` and cuts strings out of `html`.
 */
export interface HtmlSource {
  readonly html: string;
  /** At least `html.length` long; what lies beyond is left over from another page. */
  readonly codes: Uint16Array;
}

/** Room for the code units of one page, with the view that fills it. */
interface Room {
  readonly codes: Uint16Array;
  readonly bytes: Buffer;
}

/** Rooms above this size (2 MB) are not kept for the next page, so that one huge page does not hold memory for ever. */
const SPARE_UNITS = 1 << 20;
const SMALLEST_UNITS = 1 << 16;

/** One room is kept between scans: allocating 60 KB for every page would make the garbage collector the bottleneck. */
let spare: Room | null = null;

function takeRoom(units: number): Room {
  const room = spare;
  // Taken, not shared: a visitor may itself scan another page.
  spare = null;
  if (room !== null && room.codes.length >= units) return room;
  const codes = new Uint16Array(Math.max(SMALLEST_UNITS, 2 ** Math.ceil(Math.log2(units + 1))));
  return { codes, bytes: Buffer.from(codes.buffer) };
}

/** Calls `use` with the page. The source must not be kept: its code units are overwritten by the next page. */
export function withSource(html: string, use: (source: HtmlSource) => void): void {
  const room = takeRoom(html.length);
  room.bytes.write(html, "utf16le");
  try {
    use({ html, codes: room.codes });
  } finally {
    if (room.codes.length <= SPARE_UNITS) spare = room;
  }
}
