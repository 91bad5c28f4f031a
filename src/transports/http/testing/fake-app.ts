/** An app with only the parts that a test provides, and a handler for it without a socket. */
import type { App } from "../../../app/app.ts";
import { AppEvents } from "../../../app/events.ts";
import { FakeClock } from "../../../kernel/testing/fake-clock.ts";
import { EventStream } from "../event-stream.ts";
import { createHandler, type HandlerParts } from "../handler.ts";
import { Metrics } from "../metrics.ts";
import { Tokens } from "../tokens.ts";
import { createWebApp } from "../web-app.ts";

export type FakeParts = { [Part in keyof App]?: unknown };

export function fakeApp(parts: FakeParts = {}): App {
  return {
    version: "1.2.3",
    events: new AppEvents(),
    activeCrawls: { list: () => [], others: () => [] },
    ...parts,
  } as unknown as App;
}

export interface FakeServer {
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request and reads the answer. */
  json(path: string, init?: RequestInit): Promise<{ status: number; body: Record<string, unknown> }>;
  errors: unknown[];
  clock: FakeClock;
  tokens: Tokens | null;
}

export interface FakeServerOptions {
  token?: string;
  bound?: string;
  allowedHosts?: string[];
  allowedOrigins?: string[];
  uiFolder?: string;
  mcp?: HandlerParts["mcp"];
}

export function fakeServer(app: App, options: FakeServerOptions = {}): FakeServer {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const events = new EventStream(clock, "run");
  app.events.subscribe((event) => events.send(event));
  const tokens = options.token === undefined ? null : new Tokens(options.token);
  const handle = createHandler({
    app,
    events,
    metrics: new Metrics(app, () => events.readers),
    webApp: createWebApp(options.uiFolder ?? null),
    mcp: options.mcp ?? null,
    onInternalError: (error) => errors.push(error),
    guard: {
      bound: options.bound ?? "127.0.0.1",
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
      tokens,
      cookieName: () => "trawl-8080",
    },
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "127.0.0.1:8080");
    return handle(new Request(`http://${headers.get("host")}${path}`, { ...init, headers }));
  };
  return {
    ask,
    async json(path, init) {
      const response = await ask(path, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    errors,
    clock,
    tokens,
  };
}

export const jsonBody = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
