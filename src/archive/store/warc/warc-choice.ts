/**
 * Whether a workspace writes WARCs, and whether it fetches what pages need. Both are properties of the workspace, not of a run:
 * after a run with `--warc`, every run, `resume` and `scrape` writes them, until one with `--no-warc`. Otherwise an export would
 * lack pages without a word. With WARCs, the file also says how long the metadata was when they began: pages that were recorded
 * later must be in one.
 */
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { missingAsNull, replaceFile } from "../../../storage/durable.ts";
import { addSum } from "../../../storage/line-sums.ts";
import { namesIn, OPEN_SUFFIX, WARC_SUFFIX } from "./warc-file.ts";

export interface Choice {
  /** Where the choice is kept. */
  path: string;
  /** The choice, as the file names it. */
  name: "warc" | "requisites";
  /** What this run was asked to do; null when it was not asked. */
  asked: boolean | null;
  /** The default for a workspace in which nothing was ever chosen. */
  ifNever: () => Promise<boolean>;
  onNotice: (text: string) => void;
}

const textOf = (name: Choice["name"], chosen: boolean): string => `${JSON.stringify({ [name]: chosen })}\n`;

/** With a sum: nobody could tell a wrong number from a right one. */
const textFrom = (from: number): string => addSum(JSON.stringify({ warc: true, from }), 0).line.toString();

/** Null when the text does not say when WARCs began. */
function fromIn(text: string): number | null {
  const [, digits] = /^\{"warc":true,"from":(\d{1,15}),/.exec(text) ?? [];
  return digits !== undefined && text === textFrom(Number(digits)) ? Number(digits) : null;
}

/** Null when nothing was chosen; `damaged` when the file says something else. */
export async function readChoice(path: string, name: Choice["name"] = "warc"): Promise<boolean | "damaged" | null> {
  const text = await readFile(path, "utf8").catch(missingAsNull(path));
  if (text === null) return null;
  if (name === "warc" && fromIn(text) !== null) return true;
  return [true, false].find((chosen) => text === textOf(name, chosen)) ?? "damaged";
}

/** Decides, and remembers the decision. */
export async function choose({ path, name, asked, ifNever, onNotice }: Choice): Promise<boolean> {
  const before = await readChoice(path, name);
  if (before === "damaged") {
    const kept = { warc: "WARCs are written", requisites: "what the pages need is fetched" }[name];
    onNotice(`${path} is damaged; ${asked === false ? "it is replaced" : kept}.`);
  }
  // A superfluous capture does no harm; a missing one is lost.
  const chosen = asked ?? (before === "damaged" || before === true || (before === null && (await ifNever())));
  if (chosen !== (before ?? false)) await writeChoice(path, chosen, name);
  return chosen;
}

export interface WarcChoice extends Pick<Choice, "path" | "asked" | "onNotice"> {
  /** The folder of the WARCs. */
  folder: string;
}

export const chooseWarc = ({ folder, ...choice }: WarcChoice): Promise<boolean> =>
  choose({ ...choice, name: "warc", ifNever: () => hasWarcs(folder) });

export const writeChoice = (path: string, chosen: boolean, name: Choice["name"] = "warc"): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(textOf(name, chosen)));

export interface WarcBeginning {
  warcChoice: string;
  metadata: string;
}

/** Pages whose lines begin here or later in the metadata must be in a WARC. Null when WARCs are off, or nobody noted it. */
export async function warcsBeganAt({ warcChoice }: Pick<WarcBeginning, "warcChoice">): Promise<number | null> {
  const text = await readFile(warcChoice, "utf8").catch(missingAsNull(warcChoice));
  return text === null ? null : fromIn(text);
}

/** What the metadata has so far need not be in the WARCs; what follows must be. */
export async function warcsBeginNow({ warcChoice, metadata }: WarcBeginning): Promise<void> {
  const from = statSync(metadata, { throwIfNoEntry: false })?.size ?? 0;
  await replaceFile(warcChoice, (handle) => handle.writeFile(textFrom(from)));
}

/** Of a workspace that was made before choices were kept. */
const hasWarcs = async (folder: string): Promise<boolean> =>
  (await namesIn(folder)).some((name) => name.endsWith(WARC_SUFFIX) || name.endsWith(WARC_SUFFIX + OPEN_SUFFIX));
