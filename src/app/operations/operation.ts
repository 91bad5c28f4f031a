/** An operation: one thing that Trawl can do for a person or a program, with the schemas that all transports share. */
import { z } from "zod";
import { type ErrorCode, TrawlError } from "../../errors.ts";
import { plainWords } from "../../settings/plain-words.ts";
import { firstFew } from "../../settings/problems.ts";
import type { App } from "../app.ts";
import { type Caller, OWNER } from "../caller.ts";

export type OperationKind = "read" | "change" | "destroy";

export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** Stable, and the operationId of REST: area and verb in camel case. */
  name: string;
  kind: OperationKind;
  summary: string;
  /**
   * How it can fail, apart from what any request can meet: no token, invalid input, too many requests, a broken
   * machine.
   */
  errors?: readonly ErrorCode[];
  input: Input;
  output: Output;
  /** Without a caller, it runs with the least rights; the owner is passed explicitly. */
  run(app: App, input: z.output<Input>, caller?: Caller): z.output<Output> | Promise<z.output<Output>>;
}

/** Keeps the types of the two schemas together with `run`, and adds the errors that its parameters imply. */
export const operation = <Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> => {
  const { shape } = definition.input;
  const implied: ErrorCode[] = "cursor" in shape ? ["BAD_USAGE"] : [];
  return { ...definition, errors: [...new Set([...(definition.errors ?? []), ...implied])] };
};

/** Calls an operation for the owner, in this process: validates the input against its schema, and fills in defaults. */
export async function ask<Input extends z.ZodObject, Output extends z.ZodType>(
  app: App,
  { input, run }: Operation<Input, Output>,
  question: z.input<Input>,
): Promise<z.output<Output>> {
  const parsed = input.safeParse(question, { error: plainWords });
  if (parsed.success) return run(app, parsed.data, OWNER);
  const { shown, more } = firstFew(parsed.error.issues);
  const problems = shown.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new TrawlError("BAD_USAGE", [...problems, ...(more === null ? [] : [more])].join("\n"));
}

/** JavaScript's own bound, written out so that the OpenAPI document has it too. */
export const number = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const id = number.meta({ description: "The number of a crawl or project." });
export const pageUrl = z
  .string()
  .min(1)
  .max(65_536)
  .meta({ description: "A URL of the crawl; a path alone belongs to the start URL's host." });

/** The maximum number of rows in an answer, unless an operation says otherwise: a screen shows fewer, a script can ask again. */
export const MAX_LIMIT = 1_000;
export const limit = z.int().min(1).max(MAX_LIMIT).default(100).meta({ description: "Maximum number of rows." });
export const cursor = z
  .string()
  .max(2_000)
  .nullable()
  .default(null)
  .meta({ description: "`next` of the previous page; omit it for the first page." });

/** A page of rows: the total, some rows, and where the next page begins. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ total: z.int(), rows: z.array(row), next: z.string().nullable() });

/** The same, for lists where counting all rows would mean reading them all. */
export const uncountedPageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    total: z.null().meta({ description: "Not counted, because that would mean reading all rows." }),
    rows: z.array(row),
    next: z.string().nullable(),
  });

/** A list short enough for a single answer. */
export const allOf = <Row>(rows: Row[]): { total: number; rows: Row[]; next: null } => ({
  total: rows.length,
  rows,
  next: null,
});

export const done = z.object({ done: z.literal(true) });
