/** What a setting looks like on a command line, taken from its schema. */
import type { z } from "zod";

export type FlagKind = "switch" | "number" | "choice" | "text" | "list" | "pairs";

export interface FlagShape {
  kind: FlagKind;
  /** An empty text means null. */
  nullable: boolean;
  /** The values to choose from; empty when any value is allowed. */
  choices: readonly string[];
}

/** `max-urls` for `maxUrls`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function shapeOf(schema: z.ZodType, nullable = false): FlagShape {
  const def = schema.def as { type: string; innerType?: z.ZodType; element?: z.ZodType; entries?: object };
  const plain = (kind: FlagKind): FlagShape => ({ kind, nullable, choices: [] });
  switch (def.type) {
    case "default":
      return shapeOf(def.innerType!, nullable);
    case "nullable":
      return shapeOf(def.innerType!, true);
    case "boolean":
      return plain("switch");
    case "number":
      return plain("number");
    case "enum":
      return { kind: "choice", nullable, choices: Object.keys(def.entries!) };
    case "array":
      return { kind: "list", nullable, choices: shapeOf(def.element!).choices };
    case "record":
      return plain("pairs");
    case "string":
      return plain("text");
    default:
      throw new Error(`no flag is known for a setting of type ${def.type}`);
  }
}
