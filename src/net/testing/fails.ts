/** Asserts that a fetch rejects with a FetchError of one code. */
import assert from "node:assert/strict";
import { FetchError, type FetchErrorCode } from "../fetch-errors.ts";

export async function fails(fetching: Promise<unknown>, code: FetchErrorCode): Promise<FetchError> {
  const error = await fetching.then(
    () => assert.fail(`expected ${code}, got an answer`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FetchError, `expected a FetchError, got ${error}`);
  assert.equal(error.code, code, `${error.message} ${error.cause ?? ""}`);
  return error;
}
