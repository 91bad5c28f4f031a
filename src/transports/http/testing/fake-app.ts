/** An app with only the parts that a test provides, and a handler for it without a socket. */
import type { App } from "../../../app/app.ts";
import { REMOTE } from "../../../app/caller.ts";
import { AppEvents } from "../../../app/events.ts";
import { FakeClock } from "../../../kernel/testing/fake-clock.ts";
import { EventStream } from "../event-stream.ts";
import { Governor } from "../governor.ts";
import { createHandler, type HandlerParts } from "../handler.ts";
import type { ClientLimits } from "../limits.ts";
import { Metrics } from "../metrics.ts";
import { Tokens } from "../tokens.ts";
import { createWebApp } from "../web-app.ts";
import { WrongTokens } from "../wrong-tokens.ts";

export const TOKEN = "0123456789abcdef";

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
  tokens: Tokens;
}

export interface FakeServerOptions {
  /** Requests show no token unless they name one; otherwise each has the right one. */
  isAnonymous?: boolean;
  bound?: string;
  allowedHosts?: string[];
  allowedOrigins?: string[];
  uiFolder?: string;
  mcp?: HandlerParts["mcp"];
  limits?: Partial<ClientLimits>;
}

/** Most tests send more requests in the one moment of a fake clock than a client may. */
const UNLIMITED: Partial<ClientLimits> = { burst: Number.POSITIVE_INFINITY };

export function fakeServer(app: App, options: FakeServerOptions = {}): FakeServer {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const events = new EventStream(clock, "run");
  app.events.subscribe((event) => events.send(event));
  const tokens = new Tokens(TOKEN);
  const handle = createHandler({
    app,
    events,
    governor: new Governor({ clock, isCrawling: () => false, limits: options.limits ?? UNLIMITED }),
    metrics: new Metrics(app, () => events.readers),
    webApp: createWebApp(options.uiFolder ?? null),
    mcp: options.mcp ?? null,
    caller: REMOTE,
    onInternalError: (error) => errors.push(error),
    guard: {
      bound: options.bound ?? "127.0.0.1",
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
      tokens,
      wrongTokens: new WrongTokens(clock),
      cookieName: () => "trawl-8080",
    },
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "127.0.0.1:8080");
    if (!options.isAnonymous && !headers.has("cookie") && !headers.has("authorization")) {
      headers.set("authorization", `Bearer ${TOKEN}`);
    }
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
