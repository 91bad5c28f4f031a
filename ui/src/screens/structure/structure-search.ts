/** What the address of the structure screen says: which folder, and what the colours mean. */
import { COLOURS, type Colour } from "./folder-look.ts";

export interface StructureSearch {
  folder?: string;
  colour?: Colour;
}

export const readStructureSearch = (search: Record<string, unknown>): StructureSearch => ({
  folder: typeof search["folder"] === "string" && search["folder"] !== "" ? search["folder"] : undefined,
  colour: COLOURS.find((colour) => colour === search["colour"]),
});
