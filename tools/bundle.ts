/**
 * Bundles what users run into a few files, with the packages it stands on: a program that starts by opening hundreds of
 * files starts slowly. Chromium's driver stays outside: it is large, and loaded only with `--render`.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type InputOption, type OutputOptions, rolldown } from "rolldown";
import { BUNDLE_PLUGINS } from "./bundle-plugins.ts";
import { ROOT } from "./command.ts";

/** The doors of the package. */
const DOORS = { cli: "src/transports/cli/main.ts", index: "src/index.ts", atproto: "src/atproto/index.ts" };

/** Stays a dependency, or is an optional one. */
const OUTSIDE = [/^puppeteer-core(\/|$)/, "chdb"];

/**
 * What is loaded together is one file, with all that it imports. What an earlier group holds is not in a later one, so that
 * a command that crawls nothing does not load what crawls.
 */
const GROUPS = [
  { name: "errors", test: /\/src\/errors\.ts$/ },
  {
    name: "program",
    test: /\/src\/transports\/cli\/(main|cli|interrupts|output\/(style|table|terminal|width|numbers))\.ts$/,
  },
  { name: "app", test: /\/src\/app\/app\.ts$/ },
  { name: "settings", test: /\/src\/transports\/cli\/crawl-options\.ts$/ },
  { name: "net", test: /\/src\/net\/client\.ts$/ },
  { name: "crawl", test: /\/src\/site\/site-crawl\.ts$/ },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

/** How a source names a module that runs in another thread or process: beside it, and so beside the bundle as well. */
const THREAD = /new URL\(`\.\/([\w/-]+)\$\{import\.meta\.url\.slice\(-3\)\}`, import\.meta\.url\)/g;

/** Writes the bundle; returns the files that went into it. */
export async function writeBundle(folder: string): Promise<Set<string>> {
  const bundled = new Set(await write(DOORS, { dir: folder, codeSplitting: { groups: GROUPS } }));
  // Each by itself: a thread shares no memory with the rest, and must not load what the rest needs.
  for (const [name, path] of Object.entries(threads())) {
    for (const file of await write({ [name]: path }, { dir: folder, codeSplitting: false })) bundled.add(file);
  }
  return bundled;
}

/** Names stay as they are, so that the trace of an error can be read. */
async function write(input: InputOption, options: OutputOptions): Promise<string[]> {
  const bundle = await rolldown({
    input,
    cwd: ROOT,
    platform: "node",
    external: OUTSIDE,
    plugins: BUNDLE_PLUGINS,
    // A module is imported lazily for the sake of those who need not load it at all, others may.
    checks: { ineffectiveDynamicImport: false },
  });
  try {
    const { output } = await bundle.write({ chunkFileNames: "[name]-[hash].js", ...options });
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
