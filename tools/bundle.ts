/**
 * Bundles the program and its packages into a few files, because a program that opens hundreds of files starts slowly.
 * Chromium's driver stays outside: it is large, and loaded only with `--render`.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type InputOption, type OutputOptions, rolldown } from "rolldown";
import { BUNDLE_PLUGINS } from "./bundle-plugins.ts";
import { ROOT } from "./command.ts";

/** The entry points of the library, each behind a door that says which Node it needs. */
const DOORS: Record<string, string> = { index: "src/index.ts", atproto: "src/atproto/index.ts" };
const behind = (door: string): string => `${door}-library`;
const ENTRY_POINTS = {
  cli: "src/transports/cli/main.ts",
  ...Object.fromEntries(Object.entries(DOORS).map(([door, path]) => [behind(door), path])),
};

/** The oldest Node on which the library runs: older ones lack `node:sqlite` or zstd. The program brings its own. */
const LEAST_NODE = { major: 22, minor: 15 };

/** Not bundled: a normal dependency, and an optional one. (axe-core is read as a file: it runs in the browser.) */
const OUTSIDE = [/^puppeteer-core(\/|$)/, "chdb"];

/**
 * Modules that are loaded together become one file, with everything they import. A module in an earlier group is not repeated
 * in a later one, so that a command that does not crawl does not load the crawler.
 */
const GROUPS = [
  { name: "errors", test: /\/src\/errors\.ts$/ },
  {
    name: "program",
    test: /\/src\/transports\/(texts|cli\/(main|cli|interrupts|selection|output\/(table|terminal)))\.ts$/,
  },
  { name: "app", test: /\/src\/app\/app\.ts$/ },
  { name: "readings", test: /\/src\/app\/reading\/readings\.ts$/ },
  { name: "operation", test: /\/src\/app\/operations\/(operation|shapes)\.ts$/ },
  { name: "crawls", test: /\/src\/app\/operations\/crawls\.ts$/ },
  { name: "settings", test: /\/src\/transports\/cli\/crawl-options\.ts$/ },
  { name: "net", test: /\/src\/net\/client\.ts$/ },
  { name: "crawl", test: /\/src\/site\/site-crawl\.ts$/ },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

/** How sources name a module that runs in another thread or process: it is next to the source, and so next to the bundle. */
const THREAD = /new URL\(`\.\/([\w/-]+)\$\{import\.meta\.url\.slice\(-3\)\}`, import\.meta\.url\)/g;

/** Writes the bundle; returns the files that went into it. */
export async function writeBundle(folder: string): Promise<Set<string>> {
  const bundled = new Set(await write(ENTRY_POINTS, { dir: folder, codeSplitting: { groups: GROUPS } }));
  // Each in a separate bundle: a thread must not load what only the main program needs.
  for (const [name, path] of Object.entries(threads())) {
    for (const file of await write({ [name]: path }, { dir: folder, codeSplitting: false })) bundled.add(file);
  }
  for (const door of Object.keys(DOORS)) await writeDoor(folder, door);
  return bundled;
}

/** Loads the library only where it can run: an older Node would end in a syntax error that says nothing. */
async function writeDoor(folder: string, door: string): Promise<void> {
  const file = `./${behind(door)}.js`;
  const names = Object.keys((await import(pathToFileURL(join(folder, file)).href)) as object);
  const { major, minor } = LEAST_NODE;
  const text = `import { createRequire } from "node:module";
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  throw new Error(\`Trawl as a library needs Node ${major}.${minor} or newer; this is \${process.version}. The trawl command brings its own Node.\`);
}
export const { ${names.join(", ")} } = createRequire(import.meta.url)("${file}");
`;
  writeFileSync(join(folder, `${door}.js`), text);
}

/** Names are not minified, so that stack traces stay readable. */
async function write(input: InputOption, options: OutputOptions): Promise<string[]> {
  const bundle = await rolldown({
    input,
    cwd: ROOT,
    platform: "node",
    transform: { target: `node${LEAST_NODE.major}.${LEAST_NODE.minor}` },
    external: OUTSIDE,
    plugins: BUNDLE_PLUGINS,
    // Some commands import a module lazily that others import directly: that is intended.
    checks: { ineffectiveDynamicImport: false },
  });
  try {
    const { output } = await bundle.write({ chunkFileNames: "[name]-[hash].js", comments: false, ...options });
    return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  } finally {
    await bundle.close();
  }
}

function threads(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of globSync("src/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts", "**/testing/**"] })) {
    for (const [, name] of readFileSync(join(ROOT, path), "utf8").matchAll(THREAD)) {
      if (name! in found) throw new Error(`two threads are named ${name}: the second in ${path}`);
      found[name!] = join(dirname(path), `${name}.ts`);
    }
  }
  return found;
}
