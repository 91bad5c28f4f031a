/** The settings file, `trawl.yaml`: read with every mistake named, and written with every setting explained. */

import { checkSettings, crawlSettings } from "../../app/config/setting-checks.ts";
import type { SettingsCheck } from "../../app/operations/config.ts";
import { badConfig, naming } from "../../settings/problems.ts";
import { settingLine } from "../texts.ts";
import { wrap } from "./output/table.ts";

export const CONFIG_FILE = "trawl.yaml";

/** What the file says, not yet checked; an empty file says nothing. */
export async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  // Loaded here: most crawls have no such file, and a parser of YAML is large.
  const { readYaml } = await import("../../settings/yaml.ts");
  return readYaml(path, "maxUrls: 500");
}

/** Complete settings; what is wrong with them is told with the place where it was written. */
export const checkConfig = (
  given: unknown,
  place: string | null,
): SettingsCheck & { settings: Record<string, unknown> } =>
  naming(place, () => {
    const { settings, problems, ...check } = checkSettings(given);
    if (settings === null) throw badConfig(problems);
    return { settings, problems, ...check };
  });

/** A file with every setting, its description and its default, all of them commented out. */
export function configTemplate(): string {
  const groups = [...Map.groupBy(crawlSettings(), ({ group }) => group)].map(([group, settings]) => {
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
