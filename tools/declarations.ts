/** Reads declaration files (.d.ts): what a module exports, and the text of each declaration with those it depends on. */

/** One top-level statement of a declaration file, without comments. */
interface Statement {
  text: string;
  /** What it declares; empty for imports and re-exports. */
  names: string[];
}

interface Module {
  path: string;
  statements: Statement[];
  /** Local name → where it comes from. */
  imports: Map<string, Reference>;
  /** Exported name → where it is declared. */
  exports: Map<string, Reference>;
  /** Modules whose exports are all exported again. */
  passedOn: string[];
}

interface Reference {
  module: string;
  name: string;
}

export interface Declaration extends Reference {
  text: string;
}

/** Reads a declaration file by its path; null when it is not ours (a package, or Node). */
export type ReadModule = (path: string) => string | null;

export interface Door {
  /** What the module exports, by the name it is exported under. */
  exported: { name: string; declaration: Declaration }[];
  /** What the exported declarations depend on, without being exported themselves. */
  reached: Declaration[];
}

export function readDoor(path: string, read: ReadModule): Door {
  const reader = new DeclarationReader(read);
  const exported = [...reader.exportsOf(path)]
    .map(([name, reference]) => ({ name, declaration: reader.declaration(reference) }))
    .filter((entry): entry is Door["exported"][number] => entry.declaration !== null)
    .sort((one, other) => compare(one.name, other.name));
  const reached = reader.reachedFrom(exported.map(({ declaration }) => declaration));
  return { exported, reached: reached.sort((one, other) => compare(one.name, other.name)) };
}

/** By code unit, so that the order does not depend on the machine's language. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

class DeclarationReader {
  readonly #read: ReadModule;
  readonly #modules = new Map<string, Module | null>();

  constructor(read: ReadModule) {
    this.#read = read;
  }

  exportsOf(path: string): Map<string, Reference> {
    const module = this.#module(path);
    const all = new Map<string, Reference>();
    if (module === null) return all;
    for (const other of module.passedOn) for (const [name, from] of this.exportsOf(other)) all.set(name, from);
    for (const [name, from] of module.exports) all.set(name, from);
    return all;
  }

  /** Follows re-exports to where the name is declared; null outside our own modules. */
  declaration({ module: path, name }: Reference): Declaration | null {
    const module = this.#module(path);
    if (module === null) return null;
    const texts = module.statements.filter(({ names }) => names.includes(name)).map(({ text }) => text);
    if (texts.length > 0) return { module: path, name, text: texts.join("\n") };
    const elsewhere = module.imports.get(name) ?? this.exportsOf(path).get(name);
    return elsewhere === undefined || (elsewhere.module === path && elsewhere.name === name)
      ? null
      : this.declaration(elsewhere);
  }

  reachedFrom(start: readonly Declaration[]): Declaration[] {
    const key = ({ module, name }: Reference) => `${module} ${name}`;
    const known = new Set(start.map(key));
    const reached: Declaration[] = [];
    const waiting = [...start];
    for (let from = waiting.shift(); from !== undefined; from = waiting.shift()) {
      for (const name of identifiers(from.text)) {
        const found = this.declaration({ module: from.module, name });
        if (found === null || known.has(key(found))) continue;
        known.add(key(found));
        reached.push(found);
        waiting.push(found);
      }
    }
    return reached;
  }

  #module(path: string): Module | null {
    let module = this.#modules.get(path);
    if (module === undefined) {
      const text = this.#read(path);
      module = text === null ? null : parseModule(path, text);
      this.#modules.set(path, module);
    }
    return module;
  }
}

const identifiers = (text: string): Set<string> =>
  new Set(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/[A-Za-z_$][\w$]*/g));

const FROM = /\bfrom\s*"([^"]+)"/;
const DECLARED =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:const|let|var|function|class|interface|type|namespace|enum)\s+([\w$]+)/;

function parseModule(path: string, text: string): Module {
  const module: Module = { path, statements: [], imports: new Map(), exports: new Map(), passedOn: [] };
  for (const statement of splitStatements(text)) {
    const from = FROM.exec(statement)?.[1];
    const origin = from === undefined ? path : resolveModule(path, from);
    if (statement.startsWith("import")) {
      for (const [name, local] of bindings(statement)) module.imports.set(local, { module: origin, name });
    } else if (/^export\s*\*\s*from/.test(statement)) {
      module.passedOn.push(origin);
    } else if (/^export\s+(?:type\s+)?\{/.test(statement)) {
      for (const [name, as] of bindings(statement)) module.exports.set(as, { module: origin, name });
    } else {
      const name = DECLARED.exec(statement)?.[1];
      if (name === undefined) continue;
      if (statement.startsWith("export")) module.exports.set(name, { module: path, name });
      module.statements.push({ text: simplify(statement), names: [name] });
    }
  }
  return module;
}

/** Turns relative specifiers into paths of declaration files; any other specifier is returned as it is, and not read. */
function resolveModule(path: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  return new URL(specifier, `file:///${path}`).pathname.slice(1).replace(/\.[jt]s$/, ".d.ts");
}

/** `{ type A, b as c }` as pairs of the name there and the name here. */
function bindings(statement: string): [string, string][] {
  const inside = /\{([^}]*)\}/.exec(statement)?.[1] ?? "";
  return inside
    .split(",")
    .map((part) => part.trim().replace(/^type\s+/, ""))
    .filter((part) => part !== "")
    .map((part) => {
      const [name, as] = part.split(/\s+as\s+/);
      return [name!, as ?? name!];
    });
}

/** Removes private members, `export declare` (which all have), and messages, which may change at any time. */
function simplify(statement: string): string {
  return statement
    .replace(/^export\s+/, "")
    .replace(/^declare\s+/, "")
    .replaceAll(/"[^"\n]*"/g, (text) => (text.includes(" ") ? "string" : text))
    .replaceAll(/^\s*#private;\n/gm, "")
    .replaceAll(/^\s*private [^;]*;\n/gm, "")
    .replaceAll(/^(?: {4})+/gm, (indent) => "  ".repeat(indent.length / 4));
}

/** Top-level statements, without comments and empty lines. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let depth = 0;
  let statement = "";
  for (const token of text.match(TOKENS) ?? []) {
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    statement += token;
    if (OPENING.has(token)) depth++;
    else if (CLOSING.has(token)) depth--;
    const ends = depth === 0 && (token === ";" || (token === "}" && BLOCK.test(statement.trimStart())));
    if (!ends) continue;
    statements.push(tidy(statement));
    statement = "";
  }
  return statements.filter((one) => one !== "" && one !== ";");
}

/** Comments, texts, templates, arrows (whose `>` closes nothing), and everything else a character or a word at a time. */
const TOKENS = /\/\/[^\n]*|\/\*.*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|=>|[\w$]+|./gs;
const OPENING = new Set(["{", "(", "[", "<"]);
const CLOSING = new Set(["}", ")", "]", ">"]);
/** Declarations that end with their block, without a semicolon. */
const BLOCK = /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|class|namespace|enum)\b/;

const tidy = (statement: string): string =>
  statement
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
