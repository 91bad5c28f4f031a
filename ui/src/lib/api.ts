/** The client of Trawl's REST API. Same origin only: the server recognises us by its cookie, and no token is stored here. */

export const API = "/api/v1";

/** An error as the server reports it (RFC 9457), with a stable code and what to do. */
export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail?: string;
  code?: string;
  hint?: string;
  /** Settings and fields that are wrong, by name. */
  problems?: { path: string; message: string }[];
}

export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.name = "ApiError";
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }

  /** No server answered at all. */
  get isOffline(): boolean {
    return this.problem.status === 0;
  }
}

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[];
export type Query = Record<string, QueryValue>;

/** A path with its query; empty values are left out, lists are repeated. */
export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return `${API}${path}${search.size > 0 ? `?${search}` : ""}`;
}

interface RequestOptions {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

export class ApiClient {
  readonly #fetch: typeof fetch;
  readonly #wait: Wait;

  constructor(fetcher: typeof fetch, wait: Wait = waitFor) {
    this.#fetch = fetcher;
    this.#wait = wait;
  }

  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
    return this.#send<T>("GET", path, { query, signal });
  }

  post<T>(path: string, body?: unknown, query?: Query): Promise<T> {
    return this.#send<T>("POST", path, { body, query });
  }

  put<T>(path: string, body?: unknown, query?: Query): Promise<T> {
    return this.#send<T>("PUT", path, { body, query });
  }

  delete<T>(path: string, query?: Query): Promise<T> {
    return this.#send<T>("DELETE", path, { query });
  }

  async #send<T>(method: string, path: string, { query, body, signal }: RequestOptions): Promise<T> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    const init: RequestInit = {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      signal,
    };
    const response = await this.#answer(apiUrl(path, query), init);
    const answer = await readJson(response);
    if (!response.ok) throw new ApiError(problemOf(response.status, answer));
    return answer as T;
  }

  /** A busy server has not started a request that it refused: it is sent again when the server says so. */
  async #answer(url: string, init: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await this.#fetch(url, init);
        const seconds = secondsToWait(response);
        if (seconds === null || tries === MAX_TRIES) return response;
        await this.#wait(seconds * 1_000, init.signal ?? null);
      } catch (error) {
        if (init.signal?.aborted) throw error;
        throw new ApiError(OFFLINE);
      }
    }
  }
}

type Wait = (ms: number, signal: AbortSignal | null) => Promise<void>;

const MAX_TRIES = 6;
/** If it takes longer, such as until a crawl ends, people are told instead. */
const LONGEST_WAIT_SECONDS = 5;

function secondsToWait({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds >= 0 && seconds <= LONGEST_WAIT_SECONDS ? seconds : null;
}

const waitFor: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

export const OFFLINE: Problem = {
  status: 0,
  title: "The Trawl server is not responding",
  hint: "Check that `trawl serve` is still running. Interrupted crawls are kept and can be resumed.",
};

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Problem JSON as received; an answer from something in between, such as a proxy, still becomes a sentence. */
export function problemOf(status: number, answer: unknown): Problem {
  const given = typeof answer === "object" && answer !== null ? (answer as Partial<Problem>) : {};
  return {
    ...given,
    status,
    title: typeof given.title === "string" ? given.title : `The server answered with status ${status}`,
  };
}

/** What happened, said once: the server's `detail` is its title made exact. */
export const inWords = ({ code, title, detail }: Problem): { title: string; detail?: string } =>
  code !== undefined && detail !== undefined ? { title: detail } : { title, ...(detail !== undefined && { detail }) };

/** Anything thrown, as a problem to show. */
export const problemFrom = (error: unknown): Problem =>
  error instanceof ApiError
    ? error.problem
    : { status: 0, title: "Something went wrong", detail: error instanceof Error ? error.message : String(error) };

export const api = new ApiClient(async (input, init) => {
  const response = await fetch(input, init);
  // Signed out, in another tab or by a new token: the server answers the reload with its sign-in page, which leads back here.
  if (response.status === 401) location.reload();
  return response;
});

/** Whether this browser is signed in. */
export async function readSession(): Promise<{ canSignOut: boolean }> {
  const answer = await fetch("/session", { credentials: "same-origin" });
  return answer.ok ? ((await answer.json()) as { canSignOut: boolean }) : { canSignOut: false };
}

export const endSession = (): Promise<Response> => fetch("/session", { method: "DELETE", credentials: "same-origin" });
