/** Real pages, shipped with the tests: `corpus/ORIGINS.txt` says where they come from. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "corpus");

export interface CorpusPage {
  name: string;
  html: string;
}

export const CORPUS: readonly CorpusPage[] = globSync("*.html", { cwd: FOLDER })
  .sort()
  .map((name) => ({ name, html: readFileSync(join(FOLDER, name), "utf8") }));
