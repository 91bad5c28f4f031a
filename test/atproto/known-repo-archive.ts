/** An AT Protocol archive on the list of a data folder, with some failures: as after `trawl atproto crawl` by the owner. */
import { join } from "node:path";
import type { TestContext } from "node:test";
import { KnownArchives } from "../../src/app/atproto/known-archives.ts";
import { openHome } from "../../src/app/home.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import { crawlAll, makeFolder, startNetwork } from "./crawling.ts";

export interface KnownRepoArchive {
  id: number;
  folder: string;
  network: AtNetwork;
}

/** `home`: TRAWL_HOME. `t`: whose end removes it. */
export async function knownRepoArchive(
  t: { after(end: () => unknown): void },
  home: string,
): Promise<KnownRepoArchive> {
  const network = await startNetwork(t as unknown as TestContext, {
    accounts: [4, 3],
    records: 12,
    faults: ["notFound", "wrongDid"],
  });
  const folder = makeFolder(t as unknown as TestContext);
  await crawlAll(network, folder);
  const archive = join(folder, "rca");
  const known = new KnownArchives(openHome({ TRAWL_HOME: home }).registry, Date.now);
  const id = known.add(archive, null);
  known.close();
  return { id, folder: archive, network };
}
