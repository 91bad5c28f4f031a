/** Where an answer begins: the cursor that agents hand back, which holds the operation's own cursor and what was shown. */
import { TrawlError } from "../../errors.ts";

export interface Position {
  /** Rows, or characters of a text, that earlier answers showed. */
  before: number;
  /** Rows of the operation's page that were shown already, when the budget ended inside it. */
  skip: number;
  /** The operation's own cursor. */
  cursor: string | null;
}

export const START: Position = { before: 0, skip: 0, cursor: null };

export const writePosition = ({ before, skip, cursor }: Position): string => `${before}.${skip}:${cursor ?? ""}`;

export function readPosition(text: string | null): Position {
  if (text === null) return START;
  const match = /^(\d{1,15})\.(\d{1,15}):(.*)$/s.exec(text);
  if (match === null) {
    throw new TrawlError("BAD_USAGE", "cursor: it is not one of ours; give it as the answer before named it.");
  }
  const [, before, skip, cursor] = match as unknown as [string, string, string, string];
  return { before: Number(before), skip: Number(skip), cursor: cursor === "" ? null : cursor };
}
