/**
 * The accepted and ignored findings of a project: one YAML file per project, which people can read, edit and commit.
 * Comments in it are kept.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { Document, isMap, isSeq, type YAMLMap, YAMLSeq } from "yaml";
import { TrawlError } from "../../errors.ts";
import { readDocument } from "../../settings/yaml.ts";
import { type Acceptance, acceptanceKey } from "../../site/audit/acceptances.ts";
import { knownRule } from "../../site/audit/findings.ts";
import { replaceFile } from "../../storage/durable.ts";
import { lockPatiently } from "../../storage/file-lock.ts";
import { compileFilter, listSize } from "../../web/filter.ts";
import { OneAtATime } from "./one-at-a-time.ts";

const HEADER = ` Findings of Trawl's audit that were accepted (they stay for now) or ignored (they are no problem).
 Each entry: rule; url or pattern, or neither for the whole rule; accept or ignore with the reason; perhaps until.`;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Programs and screens may not add more, because a server reads the file while others wait. Editing the file by hand
 * has no limit.
 */
const MOST_ENTRIES = 1_000;
/** The largest total size of their regular expressions, as `listSize` counts: a tenth of a second to compile. */
const MOST_STEPS = 50_000;

/** A change takes some milliseconds, on a slow disk some more. */
const LOCK_PATIENCE_MS = 10_000;

/** A file as it was read last. */
interface ReadFile {
  version: string;
  acceptances: readonly Acceptance[];
}

const KEPT_FILES = 20;
const readFiles = new Map<string, ReadFile>();
const changes = new OneAtATime();

/**
 * Throws BAD_CONFIG, with the number of the entry, for an entry that cannot be understood, so that nothing is accepted
 * by mistake.
 */
export function readAcceptances(path: string): Acceptance[] {
  const version = versionOf(path);
  const known = readFiles.get(path);
  if (known?.version === version) return [...known.acceptances];
  const acceptances = entriesOf(openDocument(path), path).map((entry, index) =>
    readEntry(entry, `${path}, entry ${index + 1}`),
  );
  readFiles.delete(path);
  readFiles.set(path, { version, acceptances });
  if (readFiles.size > KEPT_FILES) readFiles.delete(readFiles.keys().next().value!);
  return [...acceptances];
}

/** Different after every change: a file that is replaced is another file. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

/** A file, and the lock of all processes that may change it. */
export interface ChangedFile {
  path: string;
  lock: string;
}

/** Adds it, in place of one for the same findings. */
export async function addAcceptance(file: ChangedFile, acceptance: Acceptance): Promise<void> {
  checkAcceptance(acceptance, "This");
  await change(file, (list, document) => {
    removeFrom(list, acceptanceKey(acceptance), file.path);
    checkRoom(file.path, list, acceptance);
    list.add(document.createNode(written(acceptance)));
  });
}

/** Whether there was one with this key. */
export async function removeAcceptance(file: ChangedFile, key: string): Promise<boolean> {
  let isRemoved = false;
  await change(file, (list) => {
    isRemoved = removeFrom(list, key, file.path);
  });
  return isRemoved;
}

function change({ path, lock }: ChangedFile, edit: (list: YAMLSeq, document: Document) => void): Promise<void> {
  return changes.run(lock, async () => {
    const held = await lockPatiently(lock, LOCK_PATIENCE_MS);
    if (held === null)
      throw new TrawlError("FILE_NOT_WRITABLE", `Another process has been changing ${path} for too long.`);
    try {
      const document = openDocument(path);
      entriesOf(document, path);
      const list = document.get("findings");
      const findings = isSeq(list) ? list : new YAMLSeq();
      edit(findings, document);
      document.set("findings", findings);
      await replaceFile(path, (handle) => handle.writeFile(document.toString({ lineWidth: 120 })));
    } finally {
      held.release();
    }
  });
}

function checkRoom(path: string, list: YAMLSeq, { pattern }: Acceptance): void {
  const hint = "Accept those of a pattern of URLs, or a whole rule, or edit the file yourself.";
  if (list.items.length >= MOST_ENTRIES) {
    throw new TrawlError(
      "BAD_USAGE",
      `${path} has ${list.items.length} entries, the maximum here is ${MOST_ENTRIES}.`,
      {
        hint,
      },
    );
  }
  if (pattern === null) return;
  const patterns = list.items.map((item) => (isMap(item) ? String((item as YAMLMap).get("pattern") ?? "") : ""));
  if (listSize([...patterns, pattern]) <= MOST_STEPS) return;
  throw new TrawlError("BAD_USAGE", `The regular expressions in ${path} would be too large together.`, {
    hint: "Use globs such as /blog/*, or edit the file yourself.",
  });
}

function removeFrom(list: YAMLSeq, key: string, path: string): boolean {
  const at = list.items.findIndex(
    (item) => isMap(item) && acceptanceKey(readEntry((item as YAMLMap).toJSON(), path)) === key,
  );
  if (at >= 0) list.items.splice(at, 1);
  return at >= 0;
}

function openDocument(path: string): Document {
  if (!existsSync(path)) {
    const document = new Document({ findings: [] });
    document.commentBefore = HEADER;
    return document;
  }
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
  const document = readDocument(text, path, { schema: "core" });
  return document.contents === null ? new Document({ findings: [] }) : (document as unknown as Document);
}

function entriesOf(document: Document, path: string): unknown[] {
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    throw new TrawlError("BAD_CONFIG", `${path} is not valid YAML: ${(error as Error).message}`);
  }
  const list = (content as { findings?: unknown } | null)?.findings ?? [];
  if (!Array.isArray(list)) throw new TrawlError("BAD_CONFIG", `${path}: findings must be a list.`);
  return list;
}

const KEYS = ["rule", "url", "evidence", "pattern", "accept", "ignore", "until", "since"];

function readEntry(entry: unknown, place: string): Acceptance {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw new TrawlError("BAD_CONFIG", `${place} is not a finding with a rule.`);
  }
  const values = entry as Record<string, unknown>;
  const unknown = Object.keys(values).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new TrawlError("BAD_CONFIG", `${place}: ${unknown} is not one of ${KEYS.join(", ")}.`);
  }
  const text = (name: string): string | null => (values[name] == null ? null : String(values[name]));
  const [accept, ignore] = [text("accept"), text("ignore")];
  if ((accept === null) === (ignore === null)) {
    throw new TrawlError("BAD_CONFIG", `${place} must have accept or ignore, with the reason.`);
  }
  const acceptance: Acceptance = {
    action: accept === null ? "ignore" : "accept",
    rule: text("rule") ?? "",
    ...{ url: text("url"), evidence: text("evidence"), pattern: text("pattern") },
    reason: accept ?? ignore!,
    ...{ until: text("until"), since: text("since") },
  };
  checkAcceptance(acceptance, place);
  return acceptance;
}

function checkAcceptance({ rule, url, evidence, pattern, reason, until }: Acceptance, place: string): void {
  const refuse = (problem: string): never => {
    throw new TrawlError("BAD_CONFIG", `${place}: ${problem}`);
  };
  knownRule(rule);
  if (reason.trim() === "") refuse("it needs a reason.");
  if (url !== null && pattern !== null) refuse("it has both url and pattern.");
  if (evidence !== null && url === null) refuse("evidence needs a url.");
  if (until !== null && (!DAY.test(until) || Number.isNaN(Date.parse(until)))) {
    refuse(`until must be a day such as 2027-01-31, not "${until}".`);
  }
  if (pattern !== null) compileFilter(pattern);
}

function written({ action, rule, url, evidence, pattern, reason, until, since }: Acceptance): Record<string, string> {
  const all = { rule, url, evidence, pattern, [action]: reason, until, since };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}
