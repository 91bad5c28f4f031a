/** The settings file, `trawl.yaml`: read with every mistake reported, and written with every setting explained. */

import { checkSettings, crawlSettings } from "../../app/config/setting-checks.ts";
import type { SettingsCheck } from "../../app/operations/config.ts";
import { badConfig, naming } from "../../settings/problems.ts";
import { settingLine } from "../texts.ts";
import { wrap } from "./output/table.ts";

export const CONFIG_FILE = "trawl.yaml";

/** The settings in the file, not yet validated. */
export async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  // Loaded here: most crawls have no such file, and a YAML parser is large.
  const { readYaml } = await import("../../settings/yaml.ts");
  return readYaml(path, "maxUrls: 500");
}

/** Complete settings; errors name the file. */
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
# Each is shown with its default. Remove the # before a name to change it.
# Flags override this file: --max-urls 100 overrides maxUrls: 50.`;
