/** The settings file, `trawl.yaml`: read with every mistake named, and written with every setting explained. */
import { naming } from "../../settings/problems.ts";
import { parseConfig, SETTING_GROUPS, SETTINGS, type SiteConfig } from "../../site/site-config.ts";
import { settingLine } from "./output/settings.ts";
import { wrap } from "./output/width.ts";

export const CONFIG_FILE = "trawl.yaml";

/** What the file says, not yet checked; an empty file says nothing. */
export async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  // Loaded here: most crawls have no such file, and a parser of YAML is large.
  const { readYaml } = await import("../../settings/yaml.ts");
  return readYaml(path, "maxUrls: 500");
}

/** Settings with the place where a mistake was made. */
export const checkConfig = (settings: unknown, place: string | null): SiteConfig =>
  naming(place, () => parseConfig(settings));

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
