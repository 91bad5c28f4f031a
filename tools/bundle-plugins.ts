/** Leaves out of the bundle, or loads later, what takes long to load and most commands never use. */
import type { Plugin } from "rolldown";

/** Modules whose getters load nothing more. */
const CHEAP_GETTERS = new Set(["node:async_hooks"]);

/**
 * A normal import of a Node module reads all its exports, getters included: `node:fs` loads its streams, `node:http`
 * its WebSocket, and with it a second undici. Those that are not getters are taken one by one.
 */
const lightBuiltins: Plugin = {
  name: "light-builtins",
  // The bundler's own runtime needs `node:module` before anything else exists.
  resolveId: (id, _importer, { kind }) =>
    id.startsWith("node:") && id !== "node:module" && kind === "import-statement" ? `\0light:${id}` : null,
  load(id) {
    if (!id.startsWith("\0light:")) return null;
    const name = id.slice("\0light:".length);
    const exported = Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) as object);
    const plain = Object.entries(exported).filter(([, { get }]) => get === undefined || CHEAP_GETTERS.has(name));
    const names = plain.map(([key]) => key).filter((key) => /^[a-z_$][\w$]*$/i.test(key) && key !== "default");
    return `
      const builtin = process.getBuiltinModule(${JSON.stringify(name)});
      export default builtin;
      export const { ${names.join(", ")} } = builtin;`;
  },
};

/** Packages with large tables, by what Trawl uses of them: evaluated when first used. Classes begin with a capital. */
const LATE: Readonly<Record<string, readonly string[]>> = {
  re2js: ["RE2JS"],
  tldts: ["getDomain"],
  "entities/decode": ["decodeHTML", "decodeHTMLAttribute"],
};

const latePackages: Plugin = {
  name: "late-packages",
  resolveId: (id, _importer, { kind }) => (id in LATE && kind === "import-statement" ? `\0late:${id}` : null),
  load(id) {
    if (!id.startsWith("\0late:")) return null;
    const name = id.slice("\0late:".length);
    const used = LATE[name]!.map((each) =>
      /^[A-Z]/.test(each)
        ? `export const ${each} = new Proxy({}, { get: (_, key) => loaded().${each}[key] });`
        : `export const ${each} = (a, b) => loaded().${each}(a, b);`,
    );
    return [`let module; const loaded = () => (module ??= require(${JSON.stringify(name)}));`, ...used].join("\n");
  },
};

/** Commander starts programs for subcommands that are programs of their own, which Trawl does not have. */
const lightCommander: Plugin = {
  name: "light-commander",
  resolveId: (id, importer) =>
    id === "node:child_process" && importer?.includes("/node_modules/commander/") ? "\0no-child-process" : null,
  load: (id) => (id === "\0no-child-process" ? "export default {};" : null),
};

/** Crawls need one class of undici; the whole package takes twice as long to load. */
const lightUndici: Plugin = {
  name: "light-undici",
  resolveId: (id, importer) =>
    id === "undici" && importer?.endsWith("/src/net/origin-pool.ts") ? "\0light-undici" : null,
  load: (id) =>
    id === "\0light-undici" ? 'export { default as Client } from "undici/lib/dispatcher/client.js";' : null,
};

/** zod's messages in some fifty languages; ours are English. */
const englishZod: Plugin = {
  name: "english-zod",
  load: (id) => (id.endsWith("/zod/v4/locales/index.js") ? 'export { default as en } from "./en.js";' : null),
};

/** V8 reads pure ASCII source faster, and holds it in half the memory. Escapes mean the same in texts and patterns. */
const asciiOnly: Plugin = {
  name: "ascii-only",
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

export const BUNDLE_PLUGINS = [lightCommander, lightBuiltins, latePackages, lightUndici, englishZod, asciiOnly];
