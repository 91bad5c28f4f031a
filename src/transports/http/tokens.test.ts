import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { newToken, Tokens } from "./tokens.ts";

const TOKEN = "0123456789abcdef";
/** A system that does not say whose a connection is. */
const nobodyKnows = () => null;
const nobody = { authorization: null, cookie: undefined };

test("the token opens as a bearer, and the session as a cookie; neither as the other", () => {
  const tokens = new Tokens(TOKEN);
  assert.ok(tokens.isAuthorized({ ...nobody, authorization: `Bearer ${TOKEN}` }));
  assert.ok(tokens.isAuthorized({ ...nobody, authorization: `bearer  ${TOKEN}` }));
  const session = tokens.openSession();
  assert.ok(tokens.isAuthorized({ ...nobody, cookie: session }));
  assert.ok(!tokens.isAuthorized({ ...nobody, cookie: TOKEN }));
  assert.ok(!tokens.isAuthorized({ ...nobody, authorization: `Bearer ${session}` }));
  for (const wrong of ["", "Bearer", "Bearer ", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`]) {
    assert.ok(!tokens.isAuthorized({ ...nobody, authorization: wrong }), wrong);
  }
  assert.ok(!tokens.isAuthorized(nobody));
});

test("a browser that signs out is out, and the others stay in", () => {
  const tokens = new Tokens(TOKEN);
  const [first, second] = [tokens.openSession(), tokens.openSession()];
  tokens.closeSession(first);
  assert.ok(!tokens.isAuthorized({ ...nobody, cookie: first }));
  for (const more of [".", ".x", `.${first}`])
    assert.ok(!tokens.isAuthorized({ ...nobody, cookie: first + more }), more);
  assert.ok(tokens.isAuthorized({ ...nobody, cookie: second }));
});

test("a code is good once, and old codes are forgotten", () => {
  const tokens = new Tokens(TOKEN);
  const code = tokens.issueCode(null);
  assert.ok(tokens.takeFromAddress(code, nobodyKnows));
  assert.ok(!tokens.takeFromAddress(code, nobodyKnows));
  const old = tokens.issueCode(null);
  for (let count = 0; count < 100; count++) tokens.issueCode(null);
  assert.ok(!tokens.takeFromAddress(old, nobodyKnows));
  assert.ok(tokens.takeFromAddress(TOKEN, nobodyKnows));
  assert.ok(!tokens.takeFromAddress("", nobodyKnows));
});

test("a code for a user's browser is good for no other user, whose attempt does not use it up", () => {
  const tokens = new Tokens(TOKEN);
  const code = tokens.issueCode(1_000);
  assert.ok(!tokens.takeFromAddress(code, () => 65_534));
  assert.ok(tokens.takeFromAddress(code, () => 1_000));
  assert.ok(tokens.takeFromAddress(tokens.issueCode(1_000), nobodyKnows));
  assert.ok(tokens.takeFromAddress(tokens.issueCode(null), () => 65_534));
});

test("a token that could be guessed, or that no header can carry, is refused", () => {
  for (const token of ["", "short", "0123456789abcde", "0123456789 abcdef", "0123456789abcdéf"]) {
    assert.throws(
      () => new Tokens(token),
      (error) => error instanceof TrawlError && error.code === "BAD_USAGE",
    );
  }
  assert.doesNotThrow(() => new Tokens(newToken()));
  assert.notEqual(newToken(), newToken());
});
