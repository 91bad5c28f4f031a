/** What a PDS does instead of sending the requested repo, one fault per row, and the class that it must get. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Clock } from "../../../src/kernel/clock.ts";
import { rawSocketOf } from "./host.ts";
import type { RepoShape } from "./repo.ts";

export interface Answering {
  response: ServerResponse;
  /** The repo's own CAR. */
  car: Uint8Array;
  /** Another account's. */
  otherCar: () => Uint8Array;
  /** 1 the first time that this repo is asked for. */
  attempt: number;
  did: string;
  /** The time between two parts of a slow answer, by this clock. */
  dripMs: number;
  clock: Clock;
}

export interface Fault {
  /** The class that a crawl must give it; null when the repo must arrive after all. */
  expects: string | null;
  /** How the repo is built. */
  shape?: RepoShape;
  /** What listRepos says of it. */
  status?: "takendown" | "suspended" | "deactivated";
  /** Without it the CAR is sent as it is. */
  answer?: (answering: Answering) => void;
}

const CAR = { "content-type": "application/vnd.ipld.car" };
const MEBIBYTE = Buffer.alloc(1 << 20);
/** What a steady host sends every `dripMs`. */
export const STEADY_BYTES = 256 << 10;

/** As PDS servers say it. */
export function xrpcError(
  response: ServerResponse,
  status: number,
  error: string,
  message = error,
  headers = {},
): void {
  const body = JSON.stringify({ error, message });
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(body);
}

const named =
  (error: string, message?: string): Fault["answer"] =>
  ({ response }) =>
    xrpcError(response, 400, error, message);

/** 429 until the attempt after `times`. */
const busy =
  (times: number, headers: (now: number) => Record<string, string>): Fault["answer"] =>
  ({ response, attempt, car, clock }) => {
    if (attempt > times) sendCar(response, car);
    else xrpcError(response, 429, "RateLimitExceeded", "Rate Limit Exceeded", headers(clock.now()));
  };

export const FAULTS = {
  notFound: { expects: "not_found", answer: named("RepoNotFound", "Could not find repo for DID") },
  notFoundGeneric: {
    expects: "not_found",
    answer: ({ response, did }) => xrpcError(response, 400, "InvalidRequest", `Could not find repo for DID: ${did}`),
  },
  notFound404: { expects: "not_found", answer: ({ response }) => xrpcError(response, 404, "NotFound") },
  /** A host that is no longer a PDS: that says nothing about the repo. */
  plain404: { expects: "http_error", answer: ({ response }) => void response.writeHead(404).end("<h1>404</h1>") },
  takendown: { expects: "takendown", status: "takendown", answer: named("RepoTakendown") },
  suspended: { expects: "suspended", status: "suspended", answer: named("RepoSuspended") },
  deactivated: { expects: "deactivated", status: "deactivated", answer: named("RepoDeactivated") },
  badRequest: { expects: "http_error", answer: named("InvalidRequest", "Error: Params must have the property did") },
  forbidden: { expects: "http_error", answer: ({ response }) => xrpcError(response, 403, "Forbidden") },
  redirect: {
    expects: "redirected",
    answer: ({ response }) => void response.writeHead(302, { location: "https://elsewhere.atp.example/repo" }).end(),
  },
  notHttpCar: {
    expects: "invalid_car",
    answer: ({ response }) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
  },
  emptyBody: { expects: "invalid_car", answer: ({ response }) => void response.writeHead(200, CAR).end() },
  truncatedCar: {
    expects: "invalid_car",
    answer: ({ response, car }) => sendCar(response, car.subarray(0, car.length - 40)),
  },
  wrongDid: { expects: "parse_error", answer: ({ response, otherCar }) => sendCar(response, otherCar()) },
  badHash: { expects: "invalid_car", shape: { badHash: true } },
  missingBlock: { expects: "parse_error", shape: { missingBlock: true } },
  tooLarge: { expects: "too_large", answer: ({ response }) => zeros(response, 101, true) },
  tooLargeUnannounced: { expects: "too_large", answer: ({ response }) => zeros(response, 101, false) },
  tooLargeUnpacked: {
    expects: "too_large",
    answer: ({ response }) => sendCar(response, packedZeros(), { "content-encoding": "gzip" }),
  },
  truncatedPacked: {
    expects: "invalid_car",
    answer: ({ response, car }) => sendCar(response, gzipSync(car).subarray(0, -40), { "content-encoding": "gzip" }),
  },
  badRecord: { expects: null, shape: { badRecord: true } },
  untidy: { expects: null, shape: { untidy: true } },
  commitV2: { expects: null, shape: { commitVersion: 2 } },
  busyRetryAfter: { expects: null, answer: busy(1, () => ({ "retry-after": "1" })) },
  busyReset: {
    expects: null,
    answer: busy(1, (now) => ({
      "ratelimit-limit": "3000",
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(Math.ceil(now / 1000) + 1),
      "ratelimit-policy": "3000;w=300",
    })),
  },
  resetOnce: {
    expects: null,
    answer: ({ response, attempt, car }) => (attempt > 1 ? sendCar(response, car) : resetMidway(response, car)),
  },
  unavailableOnce: {
    expects: null,
    answer: ({ response, attempt, car }) =>
      attempt > 1 ? sendCar(response, car) : xrpcError(response, 503, "ServiceUnavailable"),
  },
  foreignSignature: { expects: "bad_signature", shape: { foreignSignature: true } },
  /** From here on: the answers of a host in trouble. */
  unavailable: { expects: "unavailable", answer: ({ response }) => xrpcError(response, 502, "UpstreamFailure") },
  serverError: { expects: "http_error", answer: ({ response }) => xrpcError(response, 500, "InternalServerError") },
  busyForever: { expects: "rate_limited", answer: busy(Number.POSITIVE_INFINITY, () => ({ "retry-after": "1" })) },
  resetMidway: { expects: "connection_error", answer: ({ response, car }) => resetMidway(response, car) },
  shortBody: {
    expects: "connection_error",
    answer: ({ response, car }) => {
      response.writeHead(200, { ...CAR, "content-length": String(car.length), connection: "close" });
      response.write(car.subarray(0, car.length >> 1), () => response.socket?.end());
    },
  },
  silent: { expects: "timeout", answer: () => {} },
  /** Answers at once, then sends a byte at a time, forever. */
  slowDrip: {
    expects: "timeout",
    answer: ({ response, car, dripMs, clock }) => {
      response.writeHead(200, CAR).write(car.subarray(0, 10));
      drip(response, dripMs, clock);
    },
  },
  /** Sends nearly all of a large repo, then a byte at a time, forever. */
  dripAfterBurst: {
    expects: "timeout",
    shape: { padding: 12 << 20 },
    answer: ({ response, car, dripMs, clock }) => {
      response.writeHead(200, CAR).write(car.subarray(0, -10));
      drip(response, dripMs, clock);
    },
  },
  /** A large repo that takes its time, and keeps coming. */
  slowButSteady: {
    expects: null,
    shape: { padding: 12 << 20 },
    answer: ({ response, car, dripMs, clock }) => {
      response.writeHead(200, { ...CAR, "content-length": String(car.length) });
      let sent = 0;
      untilClosed(response, dripMs, clock, () => {
        response.write(car.subarray(sent, (sent += STEADY_BYTES)));
        if (sent >= car.length) response.end();
      });
    },
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** Such a fault of one DID does not affect the rest of its host. */
export const QUIET_FAULTS = (Object.keys(FAULTS) as FaultName[]).slice(0, Object.keys(FAULTS).indexOf("unavailable"));

export function sendCar(response: ServerResponse, car: Uint8Array, headers: Record<string, string> = {}): void {
  response.writeHead(200, { ...CAR, ...headers, "content-length": String(car.length) }).end(car);
}

function resetMidway(response: ServerResponse, car: Uint8Array): void {
  response.writeHead(200, { ...CAR, "content-length": String(car.length) });
  response.write(car.subarray(0, car.length >> 1), () => rawSocketOf(response).resetAndDestroy());
}

const drip = (response: ServerResponse, dripMs: number, clock: Clock): void =>
  untilClosed(response, dripMs, clock, () => response.write("."));

function untilClosed(response: ServerResponse, everyMs: number, clock: Clock, send: () => void): void {
  const next = () => {
    send();
    cancel = clock.after(everyMs, next);
  };
  let cancel = clock.after(everyMs, next);
  response.once("close", () => cancel());
}

let packed: Buffer | null = null;

/** 101 MiB in a hundred kilobytes. */
const packedZeros = (): Buffer => (packed ??= gzipSync(Buffer.alloc(101 << 20), { level: 1 }));

/** Streamed, never in memory as a whole. */
function zeros(response: ServerResponse, mebibytes: number, announced: boolean): void {
  const length: Record<string, string> = announced ? { "content-length": String(mebibytes * MEBIBYTE.length) } : {};
  response.writeHead(200, { ...CAR, ...length });
  let left = mebibytes;
  const fill = (): void => {
    while (left > 0 && !response.destroyed) {
      left--;
      if (!response.write(MEBIBYTE)) return;
    }
    if (left === 0) response.end();
  };
  response.on("drain", fill);
  fill();
}
