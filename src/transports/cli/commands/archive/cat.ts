/** `trawl archive cat <url|sha>`: a stored page. */
import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { StoredPage } from "../../../../app/archive/look.ts";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { TrawlError } from "../../../../errors.ts";
import { bytes } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./archive-options.ts";

interface CatOptions extends WorkspaceOptions {
  output: string;
}

export function addCatCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("cat")
    .summary("print a stored page")
    .description(
      "Prints the bytes of a stored page, checked against its SHA-256. On a terminal, control characters are removed.",
    )
    .argument("<url|sha>", "a URL (prints the last page stored under it) or a SHA-256")
    .option("-o, --output <file>", "Output file; - for standard output.", "-");
  addJson(addWorkspace(command), "Print its line of metadata, without the page.");
  addExamples(command, [
    ["trawl archive cat https://github.com/nodejs/node | less", "the page as it was"],
    ["trawl archive cat github.com/nodejs/node -o node.html", "into a file"],
    ["trawl archive cat github.com/nodejs/node --json", "when and how it was fetched"],
  ]);
  command.action(async (typed: string, options: CatOptions) => {
    const { catPage } = await import("../../../../app/archive/look.ts");
    const { workspaceBlobs } = await import("../../../../app/archive/look.ts");
    const workspace = await openTyped(options);
    const page = await catPage(await storedForm(typed, workspace), workspaceBlobs(workspace), workspace.paths.metadata);
    await print(cli, page, options);
  });
}

/** URLs as the archive stores them; anything else is taken for a SHA-256. */
async function storedForm(typed: string, { settings }: Workspace): Promise<string> {
  const { isSha256 } = await import("../../../../app/archive/look.ts");
  const { archiveCanonicalizer } = await import("../../../../app/archive/look.ts");
  const { prepareBase } = await import("../../../../web/url.ts");
  if (isSha256(typed.toLowerCase())) return typed;
  const written = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(written)) throw new TrawlError("BAD_USAGE", `"${typed}" is neither a URL nor a SHA-256.`);
  const url = archiveCanonicalizer(settings.config.scope.allowed_query_params, settings.profile)(
    written,
    prepareBase(written),
  );
  return typeof url === "string" ? url : typed;
}

async function print({ terminal }: Cli, page: StoredPage, { output, json }: CatOptions): Promise<void> {
  if (output !== "-") {
    try {
      await writeFile(output, page.bytes);
    } catch (error) {
      throw new TrawlError("FILE_NOT_WRITABLE", `${output} cannot be written: ${(error as Error).message}`);
    }
    if (!json) terminal.lines([`Wrote ${bytes(page.bytes.length)} to ${output}.`]);
  } else if (!json) terminal.stdout.write(page.bytes);
  if (json) terminal.json({ sha256: page.sha256, bytes: page.bytes.length, record: page.record });
}
