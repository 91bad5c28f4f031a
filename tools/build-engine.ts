/** `npm run build:engine`: compiles the HTML engine from AssemblyScript to WebAssembly; `--check` compares. */
import { parseArgs } from "node:util";
import { main } from "assemblyscript/asc";
import { ROOT } from "./command.ts";
import { type GeneratedFile, keepGenerated } from "./generated.ts";

const SOURCE = "src/web/html/engine/index.ts";
const FILE = "src/web/html/engine-binary.ts";

/** Manual memory, no run-time library. Bounds checks are off: our code checks every index or stays within what it allocated. */
const OPTIONS = ["-O3", "--runtime", "stub", "--noAssert", "--use", "abort="];

/** As a TypeScript file, like undici's parser: it becomes part of the bundle, and need not be found at run time. */
const fileOf = (binary: Uint8Array): GeneratedFile => ({
  path: FILE,
  text: [
    "/** `engine/` compiled, by `npm run build:engine`. */",
    "export const ENGINE_BINARY =",
    `  "${Buffer.from(binary).toString("base64")}";\n`,
  ].join("\n"),
});

/** Null when it does not compile; the reason is then on standard error. */
async function compile(): Promise<Uint8Array | null> {
  let binary: Uint8Array | null = null;
  const { stderr } = await main([SOURCE, "--baseDir", ROOT, "--outFile", "engine.wasm", ...OPTIONS], {
    writeFile: (_name, contents) => {
      binary = contents as Uint8Array;
    },
  });
  if (binary === null) console.error(stderr.toString());
  return binary;
}

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const binary = await compile();
const isGood = binary !== null && keepGenerated([fileOf(binary)], values.check, "npm run build:engine");
process.exitCode = isGood ? 0 : 1;
