/** A YAML settings file as plain data, with mistakes in it explained. An empty file sets nothing. */
import { readFileSync } from "node:fs";
import { type Document, type DocumentOptions, parseDocument, type SchemaOptions } from "yaml";
import { TrawlError } from "../errors.ts";

/** `example`: a valid line, shown in the error if the file contains something else. */
export function readYaml(path: string, example: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
  return parseYaml(text, path, example);
}

export function parseYaml(text: string, path: string, example: string): Record<string, unknown> {
  const content = contentOf(readDocument(text, path), path) ?? {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new TrawlError("BAD_CONFIG", `${path} is not a list of settings such as "${example}".`);
  }
  return content as Record<string, unknown>;
}

/** Throws BAD_CONFIG, with the place of the first mistake: the library looks for that of each, which takes long in a broken file. */
export function readDocument(
  text: string,
  path: string,
  options: DocumentOptions & SchemaOptions = {},
): Document.Parsed {
  const document = parseDocument(text, { ...options, logLevel: "error", prettyErrors: false });
  const [problem] = document.errors;
  if (problem === undefined) return document;
  const before = text.slice(0, problem.pos[0]).split("\n");
  return refuse(path, new Error(`${problem.message} at line ${before.length}, column ${before.at(-1)!.length + 1}`));
}

/** An alias may refer to nothing, or expand into more than fits into memory. */
function contentOf(document: { toJS(): unknown }, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return refuse(path, error as Error);
  }
}

function refuse(path: string, { message }: Error): never {
  throw new TrawlError("BAD_CONFIG", `${path} is not valid YAML: ${message}`);
}
