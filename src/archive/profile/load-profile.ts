/** Finds a profile: a built-in one by its name, or another code host's in a YAML file. */
import { TrawlError } from "../../errors.ts";
import { naming, parseSettings } from "../../settings/problems.ts";
import { readYaml } from "../../settings/yaml.ts";
import { GITHUB } from "./github.ts";
import { type Profile, profileSchema } from "./profile.ts";

const BUILT_IN: readonly Profile[] = [GITHUB];

/** `resolve` makes a path as written absolute. */
export function loadProfile(written: string, resolve: (path: string) => string): Profile {
  const builtIn = BUILT_IN.find((profile) => profile.name === written);
  if (builtIn !== undefined) return builtIn;
  if (!/\.ya?ml$/.test(written)) {
    const names = BUILT_IN.map((profile) => profile.name).join(", ");
    throw new TrawlError(
      "BAD_CONFIG",
      `profile: "${written}" is neither built in (${names}) nor a YAML file such as codeberg.yaml`,
    );
  }
  const path = resolve(written);
  const profile = readYaml(path, "name: codeberg");
  return naming(path, () => parseSettings(profileSchema, profile));
}
