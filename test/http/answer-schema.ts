/** The OpenAPI document as a check on answers: extra fields are as wrong as missing ones. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

const encode = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1");

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const isOpen = "properties" in schema && !("additionalProperties" in schema);
  return Object.fromEntries(isOpen ? [...entries, ["additionalProperties", false]] : entries);
}

type Check = (body: unknown) => void;

/** Checks of the answers that the document describes, each compiled when it is first asked for. */
export function answerChecks(document: unknown): (path: string, method: string, status: number, type: string) => Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(closed(document) as object, "openapi");
  return (path, method, status, type) => {
    const place = ["paths", path, method, "responses", status, "content", type, "schema"]
      .map(String)
      .map(encode)
      .join("/");
    const validate = ajv.getSchema(`openapi#/${encodeURI(place)}`);
    assert.ok(validate, place);
    return (body) => assert.ok(validate(body), `${path}: ${ajv.errorsText(validate.errors)}`);
  };
}
