/** `npm run build:engine`: compiles the HTML engine from AssemblyScript to WebAssembly; `--check` compares. */
import { parseArgs } from "node:util";
import { main } from "assemblyscript/asc";
import { ROOT } from "./command.ts";
import { type GeneratedFile, keepGenerated } from "./generated.ts";

const SOURCE = "src/web/html/engine/index.ts";
const FILE = "src/web/html/engine-binary.ts";

/** Our own memory, no run-time library; every index is checked by us or within what we allocated. */
const OPTIONS = ["-O3", "--runtime", "stub", "--noAssert", "--use", "abort="];

/** In a file of TypeScript, as undici has its parser: a bundle then holds it, and nothing has to be found at run time. */
async function compile(): Promise<GeneratedFile> {
  let binary: Uint8Array | null = null;
  const { error, stderr } = await main([SOURCE, "--baseDir", ROOT, "--outFile", "engine.wasm", ...OPTIONS], {
    writeFile: (_name, contents) => {
      binary = contents as Uint8Array;
    },
  });
  if (error !== null || binary === null) throw new Error(`${stderr.toString()}\n${error?.message ?? "no output"}`);
  const text = `/** \`engine/\` compiled, by \`npm run build:engine\`. */\nexport const ENGINE_BINARY =\n  "${Buffer.from(binary).toString("base64")}";\n`;
  return { path: FILE, text };
}

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
process.exitCode = keepGenerated([await compile()], values.check, "npm run build:engine") ? 0 : 1;
