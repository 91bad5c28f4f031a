/** Problems in the structure of a document: browsers repair it, but the result may not be what the author meant. */
import type { DocumentShape } from "../../web/html/read-html.ts";

/** The kind of problem, which is the first word of its line. */
export type DocumentProblem =
  | "head"
  | "body"
  | "body_before_html"
  | "head_not_first"
  | "invalid_in_head"
  | "duplicate_id"
  | "skipped_heading"
  | "first_heading"
  | "outside_head";

const MOST_ID = 100;

/**
 * One line each, such as `invalid_in_head div`; null when there are none. `outside`: elements that belong in the head
 * but are elsewhere; `more`: lines from other checks.
 */
export function documentProblems(
  shape: DocumentShape,
  outside: readonly string[],
  more: readonly string[],
): string | null {
  const lines: string[] = [];
  const add = (problem: DocumentProblem, what: string) => lines.push(`${problem} ${what}`);
  // Both tags may be left out (WHATWG HTML, "optional tags"), if browsers put them where they were meant to be.
  if (shape.headTags > 1 || (shape.headTags === 0 && outside.length > 0)) add("head", tags("head", shape.headTags));
  if (shape.bodyTags > 1 || (shape.bodyTags === 0 && shape.headEndedBy !== null))
    add("body", tags("body", shape.bodyTags));
  if (shape.isBodyBeforeHtml) add("body_before_html", "<body> stands before <html>");
  if (shape.isHeadLate && shape.headTags > 0) add("head_not_first", "Something stands before <head>");
  if (shape.headEndedBy !== null)
    add("invalid_in_head", shape.headEndedBy === "text" ? "text" : `<${shape.headEndedBy}>`);
  if (shape.duplicateId !== null)
    add("duplicate_id", `${shape.duplicateId.slice(0, MOST_ID)}${andMore(shape.duplicateIds)}`);
  if (shape.skippedHeading !== null) {
    const [from, to] = shape.skippedHeading;
    add("skipped_heading", `h${to} after h${from}`);
  }
  if (shape.firstHeading > 1) add("first_heading", `The first heading is an h${shape.firstHeading}`);
  for (const what of new Set(outside)) add("outside_head", what);
  const all = [...lines.map((line) => line.replaceAll(/\s+/g, " ")), ...more];
  return all.length === 0 ? null : all.join("\n");
}

const tags = (name: string, count: number): string => (count === 0 ? `no <${name}>` : `${count} times <${name}>`);
const andMore = (count: number): string => (count === 1 ? "" : ` and ${count - 1} more`);
