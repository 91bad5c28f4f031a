/** Texts of paths and queries as the values that a schema asks for. What does not fit stays text, for validation to name. */
import { z } from "zod";

const NUMBER = /^-?\d+(\.\d+)?$/;

/** `values` are all that were given under one name. */
export function readTexts(schema: z.ZodType, values: readonly string[], splitsCommas = false): unknown {
  const { type, nullable, element } = kindOf(schema);
  if (type === "array") {
    const texts = splitsCommas ? values.flatMap((value) => value.split(",")).map((text) => text.trim()) : values;
    return texts.filter((text) => text !== "").map((text) => readText(element!, text));
  }
  if (values.length !== 1) return values;
  const [text] = values as [string];
  return text === "" && nullable ? null : readText(schema, text);
}

function readText(schema: z.ZodType, text: string): unknown {
  const { type } = kindOf(schema);
  if (type === "number" && NUMBER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

interface Kind {
  type: string;
  nullable: boolean;
  element?: z.ZodType;
}

function kindOf(schema: z.ZodType, nullable = false): Kind {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return kindOf(schema.unwrap() as z.ZodType, nullable);
  }
  if (schema instanceof z.ZodNullable) return kindOf(schema.unwrap() as z.ZodType, true);
  if (schema instanceof z.ZodArray) return { type: "array", nullable, element: schema.element as z.ZodType };
  return { type: schema.def.type, nullable };
}
