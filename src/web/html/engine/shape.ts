/** How the document is built: counts of elements, heads and bodies, the order of headings, ids that occur twice. */
import { DUPLICATE_FROM, DUPLICATE_IDS, DUPLICATE_TO, SHAPE_NUMBERS } from "../document-shape.ts";
import { ID_ATTRIBUTE } from "../name-ids.ts";
import { has, valueEnd, valueStart } from "./attributes.ts";
import { addressOf, byteAt } from "./page.ts";
import { hashStep } from "./tags.ts";

/** TypeScript reads it too: see `../document-shape.ts`. */
export const shape: usize = memory.data(SHAPE_NUMBERS * 4, 4);

/** Ids that are remembered: half of the slots, so that looking one up stays short. */
const SLOTS = 4096;
const MOST_IDS = SLOTS / 2;
/** Where each id begins and ends; an end of 0 is an empty slot. */
const ids: usize = memory.data(SLOTS * 8, 4);
let idCount = 0;

export function clearShape(): void {
  memory.fill(shape, 0, SHAPE_NUMBERS * 4);
  if (idCount > 0) memory.fill(ids, 0, SLOTS * 8);
  idCount = 0;
}

export function shapeOf(number: i32): i32 {
  return load<i32>(shape + number * 4);
}

export function setShape(number: i32, value: i32): void {
  store<i32>(shape + number * 4, value);
}

export function countShape(number: i32): void {
  setShape(number, shapeOf(number) + 1);
}

/** Remembers the id of the current element, if it has one. */
export function noteId(): void {
  if (!has(ID_ATTRIBUTE)) return;
  const start = valueStart(ID_ATTRIBUTE);
  const end = valueEnd(ID_ATTRIBUTE);
  if (start === end) return;
  let hash = 0;
  for (let at = start; at < end; at++) hash = hashStep(hash, byteAt(at));
  let slot = hash & (SLOTS - 1);
  while (true) {
    const place = ids + slot * 8;
    const knownEnd = load<i32>(place + 4);
    if (knownEnd === 0) {
      if (idCount === MOST_IDS) return;
      idCount++;
      store<i32>(place, start);
      store<i32>(place + 4, end);
      return;
    }
    const known = load<i32>(place);
    if (knownEnd - known === end - start && memory.compare(addressOf(known), addressOf(start), end - start) === 0) {
      if (shapeOf(DUPLICATE_IDS) === 0) {
        setShape(DUPLICATE_FROM, start);
        setShape(DUPLICATE_TO, end);
      }
      countShape(DUPLICATE_IDS);
      return;
    }
    slot = (slot + 1) & (SLOTS - 1);
  }
}
