/** A list of URLs that a command is given: a file, or standard input; and what is said about lines that are not URLs. */
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { CopiedList } from "../../app/crawls/url-list.ts";
import { TrawlError } from "../../errors.ts";
import { clean, counted } from "../texts.ts";
import type { Cli } from "./cli.ts";

/** Opened before anything is stored, so that a wrong name leaves nothing behind. */
export async function openList(cli: Cli, path: string): Promise<Readable> {
  if (path === "-") return cli.terminal.stdin;
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file.createReadStream();
    await file.close();
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
  throw new TrawlError("FILE_NOT_READABLE", `${path} is not a file.`);
}

export function noteRejected(
  { terminal }: Cli,
  { rejected, rejectedCount }: Pick<CopiedList, "rejected" | "rejectedCount">,
): void {
  for (const { line, text } of rejected) terminal.note(`note: line ${line} is not a URL: ${clean(text)}`);
  const rest = rejectedCount - rejected.length;
  if (rest > 0) terminal.note(`note: and ${counted(rest, "more line")}`);
}
