/** A request to a service that needs a key, its answer, and what went wrong. */
import { TrawlError } from "../../errors.ts";

export interface ServiceRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
}

export interface ServiceAnswer {
  status: number;
  body: string;
}

/** Rejects when there was no answer. */
export type Ask = (request: ServiceRequest) => Promise<ServiceAnswer>;

/** The JSON of an answer. An error quotes what the service said, without the key. */
export function answered<Body>(service: string, { status, body }: ServiceAnswer): Body {
  const parsed = jsonOf(body) as { error?: { message?: unknown } } | null;
  if (status === 200 && parsed !== null) return parsed as Body;
  const said = typeof parsed?.error?.message === "string" ? `: ${parsed.error.message}` : "";
  throw new TrawlError("SERVICE_REFUSED", `${service} answered ${status}${said}`);
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
