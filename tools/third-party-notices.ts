/** The licences of the packages whose code is in the bundle; most of them require that the licence comes with the code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlock } from "./markdown.ts";

interface Package {
  name: string;
  version: string;
  license: string;
}

const HEAD = `# Third-party notices

Trawl contains these packages, under their licences.`;

/** `files` are the modules of the bundle. */
export function thirdPartyNotices(files: Iterable<string>): string {
  const sections = [...packageFolders(files)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
    return [`## ${name} ${version}`, `Licence: ${license}`, ...licenceTexts(folder)].join("\n\n");
  });
  return `${[HEAD, ...sections].join("\n\n")}\n`;
}

/** A package is directly below the last node_modules of a path, or one folder deeper if it has a scope. */
function packageFolders(files: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const file of files) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file.replaceAll("\\", "/"))?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  return folders;
}

function licenceTexts(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  return files.sort().map((name) => codeBlock("text", readFileSync(join(folder, name), "utf8").trimEnd()));
}
