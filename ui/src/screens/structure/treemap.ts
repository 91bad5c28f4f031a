/** Rectangles whose areas are in proportion to their values, and as square as they can be (Bruls, Huizing and van Wijk, 2000). */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Tile<T> extends Box {
  item: T;
}

/** Tiles that fill the box, the largest first. Items without a value get none. */
export function treemap<T>(items: readonly T[], sizeOf: (item: T) => number, box: Box): Tile<T>[] {
  const sorted = items.filter((item) => sizeOf(item) > 0).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const total = sorted.reduce((sum, item) => sum + sizeOf(item), 0);
  if (total === 0 || box.width <= 0 || box.height <= 0) return [];
  const scale = (box.width * box.height) / total;
  const areas = sorted.map((item) => ({ item, area: sizeOf(item) * scale }));
  const tiles: Tile<T>[] = [];
  let left: Box = box;
  for (let at = 0; at < areas.length; ) {
    const side = Math.min(left.width, left.height);
    let row = [areas[at]!];
    // One more tile joins the row for as long as that makes its worst tile squarer.
    while (at + row.length < areas.length) {
      const longer = [...row, areas[at + row.length]!];
      if (worst(longer, side) > worst(row, side)) break;
      row = longer;
    }
    left = placeRow(row, left, tiles);
    at += row.length;
  }
  return tiles;
}

const sumOf = (row: readonly { area: number }[]): number => row.reduce((sum, { area }) => sum + area, 0);

/** How far the longest tile of a row is from a square. */
function worst(row: readonly { area: number }[], side: number): number {
  const thickness = sumOf(row) / side;
  return Math.max(...row.map(({ area }) => Math.max(thickness ** 2 / area, area / thickness ** 2)));
}

/** Puts a row along the shorter side; what is left of the box comes back. */
function placeRow<T>(row: readonly { item: T; area: number }[], box: Box, tiles: Tile<T>[]): Box {
  const isColumn = box.width >= box.height;
  const thickness = sumOf(row) / (isColumn ? box.height : box.width);
  let offset = 0;
  for (const { item, area } of row) {
    const length = area / thickness;
    tiles.push(
      isColumn
        ? { item, x: box.x, y: box.y + offset, width: thickness, height: length }
        : { item, x: box.x + offset, y: box.y, width: length, height: thickness },
    );
    offset += length;
  }
  return isColumn
    ? { ...box, x: box.x + thickness, width: Math.max(0, box.width - thickness) }
    : { ...box, y: box.y + thickness, height: Math.max(0, box.height - thickness) };
}
