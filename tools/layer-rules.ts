/** The rules of the source tree: who may import whom, how long a file may be, and what every folder has. */

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  text: string;
}

/** A layer imports only from itself and from the layers before it; a product never imports another product. */
export const LAYERS = [
  "kernel",
  "storage",
  "net",
  "web",
  "politeness",
  "settings",
  "render",
  "site",
  "archive",
  "atproto",
  "fleet",
  "app",
  "transports",
] as const;

/** Products are peers: none is built on another, so that each can be read, changed and removed alone. */
const PRODUCTS: readonly string[] = ["site", "archive", "atproto"];

/** Packages that only one layer may use, because what they do must pass its checks. */
const KEPT_PACKAGES: Readonly<Record<string, { layer: string; why: string }>> = {
  undici: { layer: "net", why: "requests go through net, whose egress guard checks every address" },
  pg: { layer: "fleet", why: "only a fleet needs PostgreSQL, and fleet loads its client when it connects" },
};

/** Parts of src that are not layers: who may import them, and what they may import. */
const ALL_LAYERS: readonly string[] = LAYERS;
const OTHER_PARTS: Record<string, { importedBy: readonly string[]; imports: readonly string[] }> = {
  // Everything uses the error table.
  errors: { importedBy: [...ALL_LAYERS, "demo", "index"], imports: [] },
  // The bundled site is served by this process, and crawled from outside like any other.
  demo: { importedBy: ["app", "transports"], imports: ["errors"] },
  // The library's entry point exports from products and app; no layer may import it.
  index: { importedBy: [], imports: ["errors", "site", "archive", "atproto", "app"] },
};

export const MAX_LINES = 400;

/** Longer files by their path, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {
  "src/site/site-config.ts": "one table: every setting of a site crawl, an entry each",
  "src/site/facts/fact-table.ts": "one table: every fact about a URL, an entry each",
  "src/errors.ts": "one table: every error that a person can see, an entry each",
  "src/app/crawls/crawls.ts":
    "every way a crawl begins, continues and ends here shares its locks and its registry entry",
};

/** Folders that belong to their parent folder, whose README describes them. */
const PARTS_OF_A_FOLDER = new Set(["testing", "data"]);

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.{1,2}\/[^"]+)"/g;
const PACKAGE = /(?:\bfrom\s*|\bimport\s*\(?\s*)"((?:@[\w-]+\/)?[\w-]+)(?:\/[^"]*)?"/g;
const UNFINISHED = /\b(?:TODO|FIXME)\b/;

export interface Findings {
  errors: string[];
  warnings: string[];
}

/** `files` are the sources with their READMEs. */
export function checkSources(files: readonly SourceFile[], longFiles = LONG_FILES): Findings {
  const sources = files.filter(({ path }) => path.startsWith("src/") && path.endsWith(".ts"));
  return {
    errors: [
      ...sources.flatMap(importErrors),
      ...missingReadmes(files),
      ...sources.flatMap((file) => lengthErrors(file, longFiles)),
    ],
    warnings: files.filter(({ path }) => path.endsWith(".ts")).flatMap(unfinishedLines),
  };
}

/** `kernel` of src/kernel/lane.ts, `index` of src/index.ts, null outside src. */
function partOf(path: string): string | null {
  const [root, part] = path.split("/");
  return root === "src" ? part!.replace(/(?:\.test)?\.ts$/, "") : null;
}

const isTest = (path: string): boolean => path.endsWith(".test.ts") || path.includes("/testing/");

function importErrors({ path, text }: SourceFile): string[] {
  const from = partOf(path)!;
  if (!ALL_LAYERS.includes(from) && !(from in OTHER_PARTS)) {
    return [`${path}: src/${from} is not a known layer; tools/layer-rules.ts lists them`];
  }
  const errors: string[] = [];
  for (const [, specifier] of text.matchAll(IMPORT)) {
    const target = resolveImport(path, specifier!);
    const why = objection(from, target) ?? (isTest(path) ? null : objectionToSource(from, target));
    if (why !== null) errors.push(`${path}: must not import ${target}: ${why}`);
  }
  for (const [, name] of text.matchAll(PACKAGE)) {
    const kept = KEPT_PACKAGES[name!];
    if (kept !== undefined && kept.layer !== from) errors.push(`${path}: must not import ${name}: ${kept.why}`);
  }
  return errors;
}

function resolveImport(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

function objection(from: string, target: string): string | null {
  const to = partOf(target);
  if (to === null) return target === "package.json" ? null : "it is outside src";
  if (to === from) return null;
  const special = OTHER_PARTS[to];
  if (special !== undefined) return special.importedBy.includes(from) ? null : `${to} is not for ${from}`;
  if (PRODUCTS.includes(from) && PRODUCTS.includes(to)) return "a product does not import another";
  const allowed = OTHER_PARTS[from]?.imports ?? ALL_LAYERS.slice(0, ALL_LAYERS.indexOf(from));
  return allowed.includes(to) ? null : `${from} comes before ${to}`;
}

/** What tests may import and sources may not. */
function objectionToSource(from: string, target: string): string | null {
  if (isTest(target)) return "it is only for tests";
  return from === "transports" && PRODUCTS.includes(partOf(target)!) ? "transports reach products through app" : null;
}

function missingReadmes(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    if (parts[0] !== "src" || PARTS_OF_A_FOLDER.has(parts.at(-1)!)) continue;
    for (let depth = 1; depth <= parts.length; depth++) folders.add(parts.slice(0, depth).join("/"));
  }
  return [...folders]
    .filter((folder) => !paths.has(`${folder}/README.md`))
    .sort()
    .map((folder) => `${folder}: has no README.md`);
}

function lengthErrors({ path, text }: SourceFile, longFiles: typeof LONG_FILES): string[] {
  if (isTest(path)) return [];
  const lines = text.split("\n").length - 1;
  const long = lines > MAX_LINES;
  if (long === path in longFiles) return [];
  return long
    ? [`${path}: ${lines} lines; over ${MAX_LINES} needs a reason in LONG_FILES of tools/layer-rules.ts`]
    : [`${path}: only ${lines} lines, so it needs no entry in LONG_FILES of tools/layer-rules.ts`];
}

function unfinishedLines({ path, text }: SourceFile): string[] {
  return text
    .split("\n")
    .flatMap((line, index) => (UNFINISHED.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}
