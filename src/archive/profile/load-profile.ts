/** Loads a profile by its name, or from a YAML file, and checks what its schema cannot: patterns, groups and caps. */
import { TrawlError } from "../../errors.ts";
import { badConfig, naming, parseSettings, type SettingProblem } from "../../settings/problems.ts";
import { readYaml } from "../../settings/yaml.ts";
import { type SafeRegex, safeRegex } from "../../web/safe-regex.ts";
import { FORGEJO, GITEA } from "./forgejo.ts";
import { GENERIC } from "./generic.ts";
import { GITHUB } from "./github.ts";
import { GITLAB } from "./gitlab.ts";
import { capKey, capName, type PageTypeRule, type Profile, profileSchema } from "./profile.ts";
import { repoGroups } from "./repo-name.ts";

export const BUILT_IN: readonly Profile[] = [GITHUB, GITLAB, FORGEJO, GITEA, GENERIC];

const BUILT_IN_NAMES = BUILT_IN.map(({ name }) => name).join(", ");

/** Whether the name is that of a file, not of a built-in profile. */
export const isProfileFile = (written: string): boolean => /\.ya?ml$/i.test(written);

/** A built-in profile by name, or one for another site from a YAML file. `resolve` makes its path absolute. */
export function loadProfile(written: string, resolve: (path: string) => string): Profile {
  const builtIn = BUILT_IN.find((profile) => profile.name === written);
  if (builtIn !== undefined) return builtIn;
  if (!isProfileFile(written)) {
    throw new TrawlError(
      "BAD_CONFIG",
      `profile: "${written}" is neither built in (${BUILT_IN_NAMES}) nor a YAML file such as codeberg.yaml`,
    );
  }
  const path = resolve(written);
  const content = readYaml(path, "name: codeberg");
  return naming(path, () => {
    const profile = parseSettings(profileSchema, content, { listsNames: true });
    const problems = profileProblems(profile);
    if (problems.length > 0) throw badConfig(problems);
    return profile;
  });
}

/** Everything that is wrong with a profile whose keys and types are right. */
export function profileProblems(profile: Profile): SettingProblem[] {
  return [
    ...profile.allow_patterns.flatMap((source, at) => patternProblems(`allow_patterns.${at}`, source)),
    ...profile.deny_patterns.flatMap((source, at) => patternProblems(`deny_patterns.${at}`, source)),
    ...profile.page_types.flatMap((type, at) => typeProblems(type, `page_types.${at}`, profile)),
  ];
}

function typeProblems(type: PageTypeRule, at: string, { caps }: Profile): SettingProblem[] {
  const regex = compiled(type.pattern);
  return [
    ...(regex instanceof Error
      ? [{ setting: `${at}.pattern`, message: regex.message }]
      : groupProblems(type, at, regex)),
    ...(type.cap === null || capKey(type.cap) in caps ? [] : [missingCap(type.cap, at, caps)]),
  ];
}

function groupProblems({ repo }: PageTypeRule, at: string, regex: SafeRegex): SettingProblem[] {
  const missing = repoGroups(repo, regex).find((group) => !regex.groups.includes(group));
  if (missing === undefined) return [];
  const known = regex.groups.map((group) => `{${group}}`).join(", ") || "none; write one as (?<name>…)";
  return [{ setting: `${at}.repo`, message: `{${missing}} is not a group of the pattern; its groups are: ${known}` }];
}

const missingCap = (cap: string, at: string, caps: Profile["caps"]): SettingProblem => {
  const names = Object.keys(caps).flatMap((key) => capName(key) ?? []);
  return {
    setting: `${at}.cap`,
    message: `there is no caps.${capKey(cap)}: add it, or use one of ${names.join(", ")}`,
  };
};

export function patternProblems(setting: string, source: string): SettingProblem[] {
  const regex = compiled(source);
  return regex instanceof Error ? [{ setting, message: regex.message }] : [];
}

function compiled(source: string): SafeRegex | Error {
  try {
    return safeRegex(source, "");
  } catch (error) {
    return error as Error;
  }
}
