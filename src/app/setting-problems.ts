/** What is wrong with settings before a crawl is started with them: their types, and the patterns and rules inside them. */
import { TrawlError } from "../errors.ts";
import { parseConnectTo } from "../net/connect-to.ts";
import { badConfig, configProblems, type SettingProblem } from "../site/parse-site-config.ts";
import { type SiteConfig, siteConfigSchema } from "../site/site-config.ts";
import { compileFilter } from "../web/filter.ts";

export function settingProblems(settings: unknown): SettingProblem[] {
  const problems = configProblems(settings);
  if (problems.length > 0) return problems;
  const config = siteConfigSchema.parse(settings ?? {});
  return [
    ...unusable("include", config.include, compileFilter),
    ...unusable("exclude", config.exclude, compileFilter),
    ...unusable("connectTo", config.connectTo, parseConnectTo),
  ];
}

/** The settings with every default; throws a TrawlError that names all that is wrong. */
export function checkedSettings(settings: unknown): SiteConfig {
  const problems = settingProblems(settings);
  if (problems.length > 0) throw badConfig(problems);
  return siteConfigSchema.parse(settings ?? {});
}

function unusable(setting: string, values: string[], use: (value: string) => unknown): SettingProblem[] {
  return values.flatMap((value, index) => {
    try {
      use(value);
      return [];
    } catch (error) {
      if (!(error instanceof TrawlError)) throw error;
      return [{ setting: `${setting}.${index}`, message: error.message }];
    }
  });
}
