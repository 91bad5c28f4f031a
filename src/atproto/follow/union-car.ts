/** A repo from what changed since a rev (`getRepo?since=`) and what was stored of that rev: the blocks of both, under the newer root. */

/** The length of a CAR's header with the varint before it. */
function headerEnd(car: Uint8Array): number {
  let length = 0;
  for (let at = 0, shift = 0; at < car.length && shift < 28; at++, shift += 7) {
    length |= (car[at]! & 0x7f) << shift;
    if (car[at]! < 0x80) return Math.min(car.length, at + 1 + length);
  }
  return car.length;
}

/** Readers of CARs take blocks in any order, and ignore those that nothing links to. */
export const unionCar = (newer: Uint8Array, stored: Uint8Array): Buffer<ArrayBuffer> =>
  Buffer.concat([newer, stored.subarray(headerEnd(stored))]);
