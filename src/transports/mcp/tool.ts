/** A tool: what an agent may call, with arguments whose schemas come from the operations, and an answer within its budget. */

import type { CallToolResult, McpServer, ServerContext, StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { App } from "../../app/app.ts";
import type { Caller } from "../../app/caller.ts";
import { crawlSettings } from "../../app/config/setting-checks.ts";
import type { OperationKind } from "../../app/operations/operation.ts";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { didYouMean } from "../../settings/did-you-mean.ts";
import { LOST_NAME, lostName } from "../../settings/lost-name.ts";
import { plainWords } from "../../settings/plain-words.ts";
import { eachProblem, type FoundProblem, firstFew, shortened } from "../../settings/problems.ts";
import { type Answer, type Position, readPosition, renderAnswer } from "./answer.ts";
import { maxTokens } from "./model-text.ts";
import { type Meant, type Numbered, withNumbers } from "./named-crawls.ts";
import { errorResult } from "./tool-error.ts";

/** What every tool gets in addition to its arguments. */
export interface ToolContext {
  app: App;
  /** The agent, and what it may do. */
  caller: Caller;
  clock: Clock;
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Where the answer begins; `cursor` is the operation's cursor. */
  position: Position;
  /** Reports the progress of a long call to the client, if it asked for that. */
  progress(done: number, total: number, message: string): Promise<void>;
}

interface ToolDefinition<Shape extends z.ZodRawShape> {
  name: string;
  title: string;
  /** When to use it, and an example. */
  description: string;
  kind: OperationKind;
  /** It sends requests to hosts on the web. */
  reachesOut?: boolean;
  /** Calling it again changes nothing more. */
  isIdempotent?: boolean;
  arguments: Shape;
  /** Schemas shown to agents instead of the real ones, if those are too long for every conversation. */
  shown?: { [Name in keyof Shape]?: z.ZodType };
  /** Which crawl `last` or a site means, if not the newest that did not fail. */
  meant?: Meant;
  run(context: ToolContext, given: Numbered<z.output<z.ZodObject<Shape>>>): Answer | Promise<Answer>;
}

/** A tool as the server registers it and the documentation lists it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  kind: OperationKind;
  inputSchema: Record<string, unknown>;
  register(server: McpServer, app: App, caller: Caller, clock: Clock): void;
}

/** Without a description, like `max_tokens`: the server's instructions explain both once for all tools. */
const cursor = z.string().max(4_000).nullable().default(null);
const SHOWN_COMMON = { cursor, max_tokens: z.int().optional() };

export function tool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool {
  const { name, title, description, kind } = definition;
  const common = { cursor, max_tokens: maxTokens };
  const schema = z.strictObject({ ...definition.arguments, ...common });
  const inputSchema = shownSchema(z.strictObject({ ...definition.arguments, ...definition.shown, ...SHOWN_COMMON }));

  type Called = Pick<ToolContext, "app" | "caller" | "clock">;

  async function call(called: Called, given: unknown, context: ServerContext): Promise<CallToolResult> {
    try {
      const { cursor, max_tokens, ...rest } = readArguments(name, schema, given) as z.output<typeof schema> &
        z.output<z.ZodObject<typeof common>>;
      const position = readPosition(cursor);
      const { signal } = context.mcpReq;
      const caller = { ...called.caller, signal };
      const { numbered, notes } = withNumbers(
        called.app,
        rest as z.output<z.ZodObject<Shape>>,
        definition.meant ?? "newest to read",
      );
      const answer = await definition.run(
        { ...called, caller, position, signal, progress: progressOf(context) },
        numbered,
      );
      const noted = notes.length === 0 ? answer : { ...answer, notes: [...notes, ...(answer.notes ?? [])] };
      const { text, structured } = renderAnswer(noted, position, max_tokens);
      return { content: [{ type: "text", text }], structuredContent: structured };
    } catch (error) {
      return errorResult(error, called.app);
    }
  }

  return {
    name,
    title,
    description,
    kind,
    inputSchema,
    register(server, app, caller, clock) {
      const annotations = {
        readOnlyHint: kind === "read",
        // The protocol gives these a meaning only for tools that change something.
        ...(kind !== "read" && {
          destructiveHint: kind === "destroy",
          idempotentHint: definition.isIdempotent === true,
        }),
        openWorldHint: definition.reachesOut === true,
      };
      const config = { title, description, annotations, inputSchema: unchecked(inputSchema) };
      const handler = (given: unknown, context: ServerContext) => call({ app, caller, clock }, given, context);
      server.registerTool(name, config, handler);
    },
  };
}

/** The schema as the SDK lists it. We validate arguments ourselves: the SDK's message does not list the valid values. */
function unchecked(json: Record<string, unknown>): StandardSchemaWithJSON {
  return {
    "~standard": {
      version: 1,
      vendor: "trawl",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

function progressOf({ mcpReq }: ServerContext): ToolContext["progress"] {
  const progressToken = mcpReq._meta?.progressToken;
  return async (progress, total, message) => {
    if (progressToken === undefined) return;
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total, message } });
  };
}

/** Reads what an agent sent; reports every problem at once, with the valid values. */
export function readArguments<Schema extends z.ZodObject>(
  tool: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const result = schema.safeParse(given ?? {}, { reportInput: true, error: plainWords });
  const lost = result.success ? lostName(given) : null;
  if (result.success && lost === null) return result.data;
  const names = Object.keys(schema.shape);
  const { shown, more } = firstFew(result.success ? [] : eachProblem(result.error));
  const problems = [
    ...shown.map((problem) => describe(problem, names)),
    ...(more === null ? [] : [more]),
    ...(lost === null ? [] : [`${lost}: ${LOST_NAME}`]),
  ];
  throw new TrawlError(
    "BAD_USAGE",
    [`The arguments of ${tool} are not valid.`, ...problems, `Arguments: ${usage(schema)}.`].join("\n"),
  );
}

function describe({ issue, key }: FoundProblem, names: readonly string[]): string {
  const where = shortened(issue.path.join("."));
  if (key !== null) {
    const known = where === "settings" ? crawlSettings().map((setting) => setting.name) : names;
    const what = where === "settings" ? "setting" : "argument";
    return `${shortened(key)}: there is no such ${what}${didYouMean(key, known)}`;
  }
  if ((issue.code === "invalid_type" || issue.code === "invalid_union") && issue.input === undefined)
    return `${where}: missing`;
  return `${where}: ${issue.message}`;
}

/** `crawl_id (required), url, limit`. */
const usage = (schema: z.ZodObject): string =>
  Object.entries(schema.shape)
    .map(([name, argument]) => (argument.safeParse(undefined).success ? name : `${name} (required)`))
    .join(", ");

/** JSON Schema of a tool's arguments, as short as possible: every conversation contains the schemas of all tools. */
type Schema = Record<string, unknown>;

export function shownSchema(arguments_: z.ZodObject): Schema {
  // Unknown arguments are reported when one is given, with a suggestion.
  const {
    $schema: _,
    additionalProperties: _others,
    ...schema
  } = z.toJSONSchema(arguments_, { io: "input" }) as Schema;
  const properties = Object.entries(schema["properties"] as Record<string, Schema>);
  return { ...schema, properties: Object.fromEntries(properties.map(([name, value]) => [name, plainer(value)])) };
}

/** Leaves out what an agent does not need: "or null" where null is the default, very large bounds, and that a text is not empty. */
function plainer(schema: Schema): Schema {
  const { anyOf, maxLength: _length, ...rest } = schema;
  const choices = Array.isArray(anyOf) ? (anyOf as Schema[]).map(plainer) : undefined;
  const [only, ...others] = choices?.filter((choice) => choice["type"] !== "null") ?? [];
  if (rest["minLength"] === 1) delete rest["minLength"];
  if (rest["default"] === null) delete rest["default"];
  if (rest["maximum"] === Number.MAX_SAFE_INTEGER) delete rest["maximum"];
  if (rest["minimum"] === Number.MIN_SAFE_INTEGER) delete rest["minimum"];
  if (rest["items"] !== undefined) rest["items"] = plainer(rest["items"] as Schema);
  if (choices === undefined) return rest;
  return only !== undefined && others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: [only, ...others] };
}
