import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { WaitingBytes } from "./waiting-bytes.ts";
import { XrpcError } from "./xrpc-methods.ts";

const response = (): ServerResponse => Object.assign(new EventEmitter(), { setHeader() {} }) as never;

test("what clients do not take is limited, and what they take or leave makes room again", () => {
  const waiting = new WaitingBytes(100);
  const [slow, gone] = [response(), response()];
  waiting.add(60, slow);
  waiting.add(60, gone);
  const refused = (error: unknown) => error instanceof XrpcError && error.status === 503;
  assert.throws(() => waiting.add(1, response()), refused);
  gone.emit("close");
  waiting.add(200, response());
  assert.throws(() => waiting.add(1, response()), refused);
  slow.emit("close");
  assert.throws(() => waiting.add(1, response()), refused);
});
