/** JSON Schema of a tool's arguments, as short as it can be: every conversation carries the schemas of all tools. */
import { z } from "zod";

type Schema = Record<string, unknown>;

export function shownSchema(arguments_: z.ZodObject): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(arguments_, { io: "input" }) as Schema;
  const properties = Object.entries(schema["properties"] as Record<string, Schema>);
  return { ...schema, properties: Object.fromEntries(properties.map(([name, value]) => [name, plainer(value)])) };
}

/** Without what an agent has no use for: "or null" where null is the default, and bounds that no agent comes near. */
function plainer(schema: Schema): Schema {
  const { anyOf, maxLength: _length, ...rest } = schema;
  const choices = Array.isArray(anyOf) ? (anyOf as Schema[]).map(plainer) : undefined;
  const [only, ...others] = choices?.filter((choice) => choice["type"] !== "null") ?? [];
  if (rest["default"] === null) delete rest["default"];
  if (rest["maximum"] === Number.MAX_SAFE_INTEGER) delete rest["maximum"];
  if (rest["minimum"] === Number.MIN_SAFE_INTEGER) delete rest["minimum"];
  if (rest["items"] !== undefined) rest["items"] = plainer(rest["items"] as Schema);
  if (choices === undefined) return rest;
  return only !== undefined && others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: [only, ...others] };
}
