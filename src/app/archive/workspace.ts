/** A workspace: create it, open it, read its settings, lock it, start over. */

export {
  type ArchiveSettings,
  defaultConfig,
  effectiveConfig,
  parseArchiveConfig,
} from "../../archive/config/parse-archive-config.ts";
export { CONFIG_FILE, configTemplate, SEEDS_FILE } from "../../archive/config/template.ts";
export { GITHUB } from "../../archive/profile/github.ts";
export {
  configureWorkspace,
  HALVES,
  type Half,
  lockedHalves,
  lockWorkspace,
  openWorkspace,
  profilePath,
  readSettings,
  resetWorkspace,
  type Workspace,
  workspaceSeeds,
} from "../../archive/workspace.ts";
