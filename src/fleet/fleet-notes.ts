/**
 * Two things that reach the ledger as notes, because notes keep their place among what is admitted: inbox rows whose finds
 * have all been offered, and finds of a source that belong to another partition. The ledger stores neither as a note.
 */
import type { MetaCodec, Note } from "../kernel/ledger.ts";
import type { Found } from "../kernel/task.ts";

const CONSUMED = "fleet consumed";
const FOREIGN = "fleet foreign";

/** `rows`: sequence numbers of the inbox, as PostgreSQL writes them. */
export const consumedNote = (rows: readonly string[]): Note => ({ key: CONSUMED, value: rows.join(" ") });

export const consumedOf = ({ key, value }: Note): string[] | null => (key === CONSUMED ? value.split(" ") : null);

type Plain = [key: string, depth: number, parent: number, hops: number, via: number, kind: number];

export const foreignNote = <Meta>(finds: readonly Found<Meta>[], codec: MetaCodec<Meta>): Note => ({
  key: FOREIGN,
  value: JSON.stringify(
    finds.map(({ key, depth, parent, hops, meta }): Plain => {
      return [key, depth, parent, hops, codec.viaOf(meta), codec.kindOf(meta)];
    }),
  ),
});

export function foreignOf<Meta>({ key, value }: Note, codec: MetaCodec<Meta>): Found<Meta>[] | null {
  if (key !== FOREIGN) return null;
  return (JSON.parse(value) as Plain[]).map(([key, depth, parent, hops, via, kind]) => {
    return { key, depth, parent, hops, meta: codec.metaOf(via, kind) };
  });
}
