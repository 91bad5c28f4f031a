/** The settings file, `trawl.yaml`: read with every mistake named, and written with every setting explained. */
import { readFileSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import { parseConfig } from "../../site/parse-site-config.ts";
import { SETTING_GROUPS, SETTINGS, type SiteConfig } from "../../site/site-config.ts";
import { settingLine } from "./output/settings.ts";
import { wrap } from "./output/width.ts";

export const CONFIG_FILE = "trawl.yaml";

/** What the file says, not yet checked; an empty file says nothing. */
export async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
  // Loaded here: most crawls have no such file, and a parser of YAML is large.
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw new TrawlError("BAD_CONFIG", `${path} is not valid YAML: ${problem.message}`);
  const content = contentOf(document, path) ?? {};
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new TrawlError("BAD_CONFIG", `${path} is not a list of settings such as "maxUrls: 500".`);
  }
  return content as Record<string, unknown>;
}

/** An alias may name nothing, or multiply into more than memory holds. */
function contentOf(document: { toJS(): unknown }, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new TrawlError("BAD_CONFIG", `${path} is not valid YAML: ${(error as Error).message}`);
  }
}

/** Settings with the place where a mistake was made. */
export function checkConfig(settings: unknown, place: string | null): SiteConfig {
  try {
    return parseConfig(settings);
  } catch (error) {
    if (place === null || !(error instanceof TrawlError)) throw error;
    throw new TrawlError(error.code, `${place} is not valid:\n${error.message}`);
  }
}

/** A file with every setting, its description and its default, all of them commented out. */
export function configTemplate(): string {
  const groups = SETTING_GROUPS.map((group) => {
    const settings = SETTINGS.filter((setting) => setting.group === group);
    const entries = settings.map(({ name, description, defaultValue }) =>
      [...wrap(description, 76).map((line) => `# ${line}`), `#${settingLine(name, defaultValue)}`].join("\n"),
    );
    return [`# ---- ${group} ${"-".repeat(70 - group.length)}`, ...entries].join("\n\n");
  });
  return [HEAD, ...groups].join("\n\n").concat("\n");
}

const HEAD = `# Settings of a crawl: trawl crawl <url> --config ${CONFIG_FILE}
# Each is shown with its default. Take away the # before a name to change it.
# Flags win over this file: --max-urls 100 over maxUrls: 50.`;
