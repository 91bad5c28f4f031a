/** Leaves parts of third-party modules out of the bundle: those that take long to load and that Trawl never uses. */
import type { Plugin } from "rolldown";

/** A normal import of `node:http` reads all its exports, including WebSocket, for which Node loads its own undici. */
const lightHttp: Plugin = {
  name: "light-http",
  resolveId: (id, _importer, { kind }) => (id === "node:http" && kind === "import-statement" ? "\0light-http" : null),
  load(id) {
    if (id !== "\0light-http") return null;
    const http = process.getBuiltinModule("node:http");
    const plain = Object.entries(Object.getOwnPropertyDescriptors(http)).filter(([, { get }]) => get === undefined);
    const names = plain.map(([name]) => name).join(", ");
    return `export const { ${names} } = process.getBuiltinModule("node:http");`;
  },
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

export const BUNDLE_PLUGINS = [lightHttp, lightUndici, englishZod];
