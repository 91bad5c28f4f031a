/** A workspace for any site on loopback, on the list of a data folder: as after `trawl archive run` by the owner. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { KnownWorkspaces } from "../../src/app/archive/known-workspaces.ts";
import { openHome } from "../../src/app/home.ts";

export interface KnownArchive {
  id: number;
  root: string;
  remove(): void;
}

/** `home`: TRAWL_HOME. `site`: where it starts, such as `http://127.0.0.1:8123/`. */
export function knownArchive(home: string, site: string): KnownArchive {
  const root = mkdtempSync(join(tmpdir(), "trawl-known-"));
  const { host } = new URL(site);
  const config = {
    user_agent: "trawl-test/1.0 (+https://example.com/contact)",
    profile: "generic",
    scope: { allowed_hosts: [host], private_hosts: [host] },
    limits: { req_per_sec: 10_000, global_concurrency: 4, per_host_concurrency: 4, backoff_base_ms: 1, max_retries: 1 },
    caps: { max_depth: 1 },
    storage: { min_free_mb: 0 },
  };
  const configFile = join(root, "archive.yaml");
  writeFileSync(configFile, stringify(config));
  writeFileSync(join(root, "seeds.txt"), `${site}\n`);
  const known = new KnownWorkspaces(openHome({ TRAWL_HOME: home }).registry, Date.now);
  const id = known.add({ root, configFile, reach: null });
  known.close();
  return { id, root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
