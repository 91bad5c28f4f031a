/** `npm run docs`: writes the reference pages from the tables that the code itself uses; `--check` compares them. */
import { parseArgs } from "node:util";
import { type GeneratedFile, keepGenerated } from "./generated.ts";
import { archivePage } from "./reference/archive.ts";
import { auditRulesPage } from "./reference/audit-rules.ts";
import { cliPage } from "./reference/cli.ts";
import { configurationPage } from "./reference/configuration.ts";
import { errorsPage } from "./reference/errors.ts";
import { fieldsPage } from "./reference/fields.ts";
import { reasonsPage } from "./reference/reasons.ts";
import { siteOptionsFile } from "./reference/site-options.ts";
import { tablesPage } from "./reference/tables.ts";

export async function referencePages(): Promise<GeneratedFile[]> {
  const pages = {
    configuration: configurationPage(),
    archive: archivePage(),
    reasons: reasonsPage(),
    errors: errorsPage(),
    fields: fieldsPage(),
    tables: tablesPage(),
    cli: await cliPage(),
  };
  const files = Object.entries(pages).map(([name, text]): [path: string, text: string] => [`reference/${name}`, text]);
  const documents = [...files, ["audit-rules", auditRulesPage()] as const].map(([path, text]) => ({
    path: `docs/${path}.md`,
    text: `${text.trimEnd()}\n`,
  }));
  return [...documents, { path: "src/site/site-options.ts", text: siteOptionsFile() }];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  process.exitCode = keepGenerated(await referencePages(), values.check, "npm run docs") ? 0 : 1;
}
