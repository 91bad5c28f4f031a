/** What a record takes in ClickHouse: the bytes on its disk per row, after its tables were merged. */
import { ClickHouseTarget } from "../src/atproto/replay/clickhouse-target.ts";
import { startClickHouse } from "../src/atproto/replay/testing/clickhouse-server.ts";

/** `crawl` runs a fleet crawl with these options of `fleet start` and returns its name. Null without ClickHouse. */
export async function clickHouseBytes(crawl: (options: string[]) => Promise<string>): Promise<number | null> {
  await using server = await startClickHouse();
  if (server === null) return null;
  const name = await crawl(["--records", "clickhouse", "--clickhouse", `${server.address.url}/default`]);
  await using target = new ClickHouseTarget(server.address);
  await target.command(`OPTIMIZE TABLE \`trawl_fleet_${name}\` FINAL`);
  const [row] = await target.rows(
    `SELECT toFloat64(sum(bytes)) AS bytes, toFloat64(sum(rows)) AS n FROM system.parts WHERE active AND table = 'trawl_fleet_${name}'`,
  );
  const { bytes, n } = row as { bytes: number; n: number };
  return bytes / n;
}
