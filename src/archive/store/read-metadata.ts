/** The records of a metadata file, streamed; what is damaged is told and passed over. */

import { type Line, readLines } from "../../storage/read-lines.ts";
import { isDamage, type MetadataRecord, parseRecord } from "./metadata-record.ts";

export interface DamagedLine {
  line: Line;
  why: string;
}

export async function* readMetadata(
  path: string,
  onDamaged: (damaged: DamagedLine) => void,
): AsyncGenerator<{ record: MetadataRecord; line: Line }> {
  for await (const line of readLines(path)) {
    const parsed = line.flaw === null ? parseRecord(line.bytes) : { damage: FLAWS[line.flaw] };
    if (isDamage(parsed)) onDamaged({ line, why: parsed.damage });
    else yield { record: parsed, line };
  }
}

const FLAWS = { torn: "cut short", long: "too long" };
