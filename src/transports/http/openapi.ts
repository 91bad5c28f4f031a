/** The OpenAPI 3.1 document, generated from the routes and the schemas of the operations. */
import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { getHealth } from "../../app/operations/about.ts";
import { pageQuestion } from "../../app/operations/archives.ts";
import { exportQuestion } from "../../app/operations/urls.ts";
import { ERRORS, type ErrorCode } from "../../errors.ts";
import { statusOf, titleOf } from "./problem.ts";
import { API_ROOT, hasBody, pathNames, ROUTES, type Route } from "./routes.ts";

const fieldProblem = z.object({ path: z.string(), message: z.string() });
export const problemSchema = z
  .object({
    type: z.string().meta({ description: "Where the error is explained on this server." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "What was wrong." }),
    code: z.string().meta({ description: "Stable; /docs lists all.", example: "CRAWL_NOT_FOUND" }),
    hint: z.string().meta({ description: "What to do." }),
    problems: z.array(fieldProblem).optional().meta({ description: "Invalid values, by name." }),
    errors: z
      .array(fieldProblem)
      .optional()
      .meta({ description: "Deprecated: the same as problems.", deprecated: true }),
    crawlId: z.int().optional().meta({ description: "The crawl that stands in the way." }),
  })
  .meta({ id: "Problem", description: "An error (RFC 9457)." });

export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

type Responses = RouteConfig["responses"];

/** The errors that any request can get; requests with a body, the last two as well. */
const ANY: readonly ErrorCode[] = [
  ...(["TOKEN_NEEDED", "HOST_NOT_ALLOWED", "ORIGIN_NOT_ALLOWED", "BAD_INPUT", "TOO_MANY_REQUESTS"] as const),
  ...(["INTERNAL", "STORE_FAILED", "STORE_TOO_NEW", "DISK_FULL", "SERVER_BUSY"] as const),
];
const ANY_WITH_BODY: readonly ErrorCode[] = ["BODY_TOO_LARGE", "BODY_NOT_JSON"];

/** The errors of an operation by status; `x-codes` has the codes for programs. */
function problems(codes: readonly ErrorCode[]): Responses {
  const byStatus = Map.groupBy([...new Set(codes)], statusOf);
  // The socket's own answer, before there is a request.
  byStatus.set(431, ["BAD_INPUT"]);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `${code}: ${titleOf(code)}`).join(" "),
        content: { "application/problem+json": { schema: problemSchema } },
        "x-codes": ofStatus,
      },
    ]),
  );
}

export function openApiDocument(version: string): OpenApiDocument {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono();
  registry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer", description: TOKEN });
  for (const route of ROUTES) registry.registerPath(describeRoute(route));
  for (const route of STREAMS) registry.registerPath(route);
  const document = getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Trawl", version, description: DESCRIPTION },
    servers: [{ url: "/", description: "This server" }],
    tags: [...new Set([...ROUTES.map(({ group }) => group), STREAMS_GROUP])].map((name) => ({ name })),
    security: [{ token: [] }],
  });
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    if ("properties" in schema) extendProperties(schema.properties as Record<string, object>);
  }
  return document;
}

/** What a form needs to know about a setting. */
const OF_FORMS: readonly string[] = ["group", "label", "zero", "ownerOnly", "older"];

/** As extensions: JSON Schema has no such names. */
function extendProperties(properties: Record<string, object>): void {
  for (const [name, schema] of Object.entries(properties)) {
    const entries = Object.entries(schema).map(([key, value]) => [OF_FORMS.includes(key) ? `x-${key}` : key, value]);
    properties[name] = Object.fromEntries(entries) as object;
  }
}

function describeRoute({ method, path, group, operation, example }: Route): RouteConfig {
  const inPath = pathNames(path);
  const { shape } = operation.input;
  // Other names are refused, and the document says so.
  const pick = (isWanted: (name: string) => boolean) =>
    z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => isWanted(name))));
  const rest = pick((name) => !inPath.includes(name));
  const isEmpty = Object.keys(rest.shape).length === 0;
  return {
    method,
    path: API_ROOT + path,
    operationId: operation.name,
    summary: operation.summary,
    tags: [group],
    ...(operation === getHealth ? { security: [] } : {}),
    request: {
      ...(inPath.length > 0 ? { params: pick((name) => inPath.includes(name)) } : {}),
      ...(isEmpty || hasBody(method) ? {} : { query: rest }),
      ...(isEmpty || !hasBody(method)
        ? {}
        : {
            body: {
              required: !rest.safeParse({}).success,
              content: { "application/json": { schema: rest, ...(example ? { example } : {}) } },
            },
          }),
    },
    responses: {
      200: { description: "Done", content: { "application/json": { schema: operation.output } } },
      ...problems([...(operation.errors ?? []), ...ANY, ...(hasBody(method) ? ANY_WITH_BODY : [])]),
    },
  };
}

const STREAMS_GROUP = "Streams and files";
const projectId = z.object({ id: z.int().min(1).meta({ description: "The number of a project." }) });
const { id: crawlId, ...exportFields } = exportQuestion.shape;
const text = (description: string) => ({ schema: z.string().meta({ description }) });

/** Routes that do not answer with JSON. */
const STREAMS: readonly RouteConfig[] = [
  {
    method: "get",
    path: `${API_ROOT}/crawls/{id}/export`,
    operationId: "exportCrawl",
    summary: "All URLs or links of a crawl as CSV or JSON lines, as an attachment",
    tags: [STREAMS_GROUP],
    request: { params: z.object({ id: crawlId }), query: z.object(exportFields) },
    responses: {
      200: {
        description: "The rows, as they are read",
        content: { "text/csv": text("With a header line."), "application/jsonl": text("One JSON object per line.") },
      },
      ...problems(["CRAWL_NOT_FOUND", "BAD_USAGE", ...ANY]),
    },
  },
  {
    method: "get",
    path: `${API_ROOT}/archives/{id}/page/view`,
    operationId: "viewArchivedPage",
    summary: "A stored page as a browser shows it: in a sandbox, without scripts and without loading anything",
    tags: [STREAMS_GROUP],
    request: {
      params: z.object({ id: pageQuestion.shape.id }),
      query: z.object({ page: pageQuestion.shape.page }),
    },
    responses: {
      200: { description: "The page", content: { "text/html": text("In UTF-8.") } },
      ...problems(["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "PAGE_NOT_IN_ARCHIVE", ...ANY]),
    },
  },
  {
    method: "get",
    path: `${API_ROOT}/projects/{id}/favicon`,
    operationId: "getFavicon",
    summary: "The icon of a project's site",
    tags: [STREAMS_GROUP],
    request: { params: projectId },
    responses: {
      200: { description: "An image", content: { "image/*": text("The bytes.") } },
      ...problems(["PROJECT_NOT_FOUND", "PATH_NOT_FOUND", ...ANY]),
    },
  },
  {
    method: "get",
    path: `${API_ROOT}/events`,
    operationId: "watchEvents",
    summary:
      "Server-sent events: crawl:started, crawl:progress, crawl:completed and crawl:stopped, each with crawlId and projectId. They only say that something changed; fetch the data separately",
    tags: [STREAMS_GROUP],
    request: {
      headers: z.object({
        "Last-Event-ID": z
          .string()
          .optional()
          .meta({ description: "The last event received; later ones are sent again." }),
      }),
    },
    responses: { 200: { description: "Events", content: { "text/event-stream": text("Events.") } }, ...problems(ANY) },
  },
];

const TOKEN =
  "The server's token: in the file `token` in the data folder, unless the server was given another. Browsers have a cookie instead.";

const DESCRIPTION = `Everything that Trawl's web app, command line and MCP tools do.

Answers are JSON. Errors are \`application/problem+json\` with a stable \`code\` and a \`hint\`. Lists are \`{ total, rows, next }\`,
one page at a time: pass \`next\` of one answer as \`cursor\` of the next request. Times are ISO 8601, in UTC; names that are
marked as deprecated are gone in version 0.3.

Every request needs the token, except for \`/api/v1/health\`: send \`Authorization: Bearer <token>\`.

Codes: ${Object.keys(ERRORS).join(", ")}.`;
