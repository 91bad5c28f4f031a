/** docs/reference/errors.md: what can go wrong, from the error tables. */
import { ERRORS } from "../../src/errors.ts";
import { FETCH_ERRORS } from "../../src/net/fetch-errors.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";

export function errorsPage(): string {
  const errors = Object.entries(ERRORS).map(([name, { message, hint, exit }]) => [
    code(name),
    String(exit),
    message,
    hint,
  ]);
  const fetchErrors = Object.entries(FETCH_ERRORS).map(([name, { message, hint, retryable, fault }]) => [
    code(name),
    message,
    hint,
    retryable ? "yes" : "no",
    fault,
  ]);
  return [
    generatedNote("`src/errors.ts` and `src/net/fetch-errors.ts`"),
    HEAD,
    markdownTable(["Code", "Exit", "Message", "What to do"], errors),
    FETCH_HEAD,
    markdownTable(["Code", "Message", "What to do", "Retried", "Who fixes it"], fetchErrors),
    "",
  ].join("\n\n");
}

const HEAD = `# Errors

## Errors of Trawl

Codes are stable. The library throws a \`TrawlError\` with \`code\`, \`message\` and \`hint\`. The command line prints them (with
\`--json\`, as \`{"event":"error","code":…}\`) and exits with the exit code listed here.

Exit codes: 0 done, 1 failed, 2 bad usage or settings, 3 interrupted and resumable, 4 an archive ended, but not everything could be fetched.`;

const FETCH_HEAD = `## Errors of a fetch

These do not end a crawl: the code is stored in the URL's \`error\` field. Errors marked as retried are retried up to
\`retries\` times.`;
