/** What an operation is given, put together from path, query and body, and checked against its schema. */
import type { Context } from "hono";
import type { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { readBodyText } from "./body.ts";
import { InputError } from "./problem.ts";
import { hasBody, pathNames, type Route } from "./routes.ts";
import { readTexts } from "./text-input.ts";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

type Input = Record<string, unknown>;

export async function readInput(c: Context, { method, path, operation, commas = [] }: Route): Promise<Input> {
  const given: [string, unknown][] = hasBody(method)
    ? Object.entries(await readBody(c.req.raw))
    : queryValues(c.req.url, operation.input, commas);
  const names = pathNames(path);
  const twice = given.find(([name]) => names.includes(name));
  if (twice !== undefined) throw new InputError([{ path: twice[0], message: "is given by the path already" }]);
  // A name that is mistyped must not be passed over in silence: the answer would look right.
  return checked(operation.input.strict(), Object.fromEntries([...given, ...pathValues(c, operation.input, names)]));
}

/** For what is no operation: only the query. */
export function readQuery<Schema extends z.ZodObject>(
  c: Context,
  schema: Schema,
  commas: readonly string[],
): z.output<Schema> {
  const given = [...queryValues(c.req.url, schema, commas), ...pathValues(c, schema, Object.keys(c.req.param()))];
  return checked(schema.strict(), Object.fromEntries(given)) as z.output<Schema>;
}

function checked(schema: z.ZodObject, given: Input): Input {
  const result = schema.safeParse(given);
  if (!result.success) throw InputError.from(result.error);
  return result.data;
}

const pathValues = (c: Context, schema: z.ZodObject, names: readonly string[]): [string, unknown][] =>
  names.map((name) => [name, readTexts(schema.shape[name] as z.ZodType, [c.req.param(name)!])]);

function queryValues(url: string, schema: z.ZodObject, commas: readonly string[]): [string, unknown][] {
  const query = new URL(url).searchParams;
  return [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name);
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : null;
    return [name, field === null ? values : readTexts(field, values, commas.includes(name))];
  });
}

/** No body means no values; a body is a JSON object, and says so: a form of another site cannot send that type. */
async function readBody(request: Request): Promise<Input> {
  const text = await readBodyText(request);
  if (text === "") return {};
  const type = request.headers.get("content-type");
  if (type === null || !JSON_TYPE.test(type)) {
    throw new TrawlError("BODY_NOT_JSON", `The body is of type ${type ?? "unknown"}, not application/json.`);
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new InputError([{ path: "", message: `The body is not valid JSON: ${(error as Error).message}` }]);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new InputError([{ path: "", message: "The body must be a JSON object." }]);
  }
  return body as Input;
}
