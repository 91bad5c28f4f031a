/** A YAML file as plain data, with what is wrong in it said in words. An empty file says nothing. */
import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { TrawlError } from "../../errors.ts";

export function readYaml(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
  return parseYaml(text, path);
}

export function parseYaml(text: string, path: string): Record<string, unknown> {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw new TrawlError("BAD_CONFIG", `${path} is not valid YAML: ${problem.message}`);
  const content: unknown = document.toJS() ?? {};
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new TrawlError("BAD_CONFIG", `${path} is not a list of settings such as "user_agent: ...".`);
  }
  return content as Record<string, unknown>;
}
