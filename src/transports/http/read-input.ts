/** The input of an operation, combined from path, query and body, and validated against its schema. */

import type { Context } from "hono";
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { LOST_NAME, lostName } from "../../settings/lost-name.ts";
import { plainWords } from "../../settings/plain-words.ts";
import { type BodyLimits, LIMITS } from "./limits.ts";
import { InputError } from "./problem.ts";
import { checkJson, checkQuery } from "./request-size.ts";
import { hasBody, pathNames, type Route } from "./routes.ts";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

type Input = Record<string, unknown>;

export async function readInput(
  c: Context,
  { method, path, operation, commas = [], body = LIMITS.body }: Route,
): Promise<Input> {
  const given: [string, unknown][] = hasBody(method)
    ? Object.entries(await readBody(c.req.raw, body))
    : queryValues(c.req.url, operation.input, commas);
  const names = pathNames(path);
  const twice = given.find(([name]) => names.includes(name));
  if (twice !== undefined) throw new InputError([{ path: twice[0], message: "is already given in the path" }]);
  // A mistyped name must not be ignored silently: the answer would look correct.
  return checked(operation.input.strict(), Object.fromEntries([...given, ...pathValues(c, operation.input, names)]));
}

/** For routes that are not operations: only the query. */
export function readQuery<Schema extends z.ZodObject>(
  c: Context,
  schema: Schema,
  commas: readonly string[],
): z.output<Schema> {
  const given = [...queryValues(c.req.url, schema, commas), ...pathValues(c, schema, Object.keys(c.req.param()))];
  return checked(schema.strict(), Object.fromEntries(given)) as z.output<Schema>;
}

function checked(schema: z.ZodObject, given: Input): Input {
  const result = schema.safeParse(given, { error: plainWords });
  if (!result.success) throw InputError.from(result.error, schema);
  const lost = lostName(given);
  if (lost !== null) throw new InputError([{ path: lost, message: LOST_NAME }]);
  return result.data;
}

const pathValues = (c: Context, schema: z.ZodObject, names: readonly string[]): [string, unknown][] =>
  names.map((name) => [name, readTexts(schema.shape[name] as z.ZodType, [c.req.param(name)!])]);

function queryValues(url: string, schema: z.ZodObject, commas: readonly string[]): [string, unknown][] {
  checkQuery(url);
  const query = new URL(url).searchParams;
  return [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name);
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : null;
    return [name, field === null ? values : readTexts(field, values, commas.includes(name))];
  });
}

/** No body means no values. A body must be a JSON object with that content type: a form on another site cannot send it. */
async function readBody(request: Request, limits: BodyLimits): Promise<Input> {
  const text = await readBodyText(request, limits.bytes);
  if (text === "") return {};
  const type = request.headers.get("content-type");
  if (type === null || !JSON_TYPE.test(type)) {
    throw new TrawlError("BODY_NOT_JSON", `The body is of type ${type ?? "unknown"}, not application/json.`);
  }
  checkJson(text, limits);
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

/** Converts texts from path and query to the types in the schema. Anything that does not fit stays text, and validation reports it. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/** `values` are all values given under one name. */
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

export async function readBodyText({ headers, body }: Request, maxBytes: number): Promise<string> {
  const tooLarge = () =>
    new TrawlError("BODY_TOO_LARGE", `The body is larger than ${sizeText(maxBytes)}, the maximum here.`);
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge();
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A body without a length, or longer than declared, is counted as it arrives.
  for await (const chunk of arriving(body)) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** A client that disconnects before its body is complete is nothing to report to the owner. */
async function* arriving(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new InputError([{ path: "", message: "The body ended before it was complete." }]);
  }
}

const sizeText = (bytes: number): string => (bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / 1024 / 1024} MB`);

/** The same request with its body read and measured, so that a handler cannot be made to read forever. */
export async function withReadBody(request: Request, limits: BodyLimits): Promise<Request> {
  const { method, headers, signal, url } = request;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const body = await readBodyText(request, limits.bytes);
  checkJson(body, limits);
  return new Request(url, { method, headers, signal, body });
}
