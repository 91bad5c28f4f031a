/**
 * How much space a record takes in ClickHouse: the bytes on its disk per page of a fleet crawl, after its table was
 * merged.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ClickHouseTarget } from "../src/atproto/replay/clickhouse-target.ts";
import { startClickHouse } from "../src/atproto/replay/testing/clickhouse-server.ts";
import { NO_POSTGRES, TestPostgres } from "../src/fleet/testing/postgres-server.ts";
import { HOSTS, settings, site } from "./fleet-site.ts";
import { circumstances, writeSection } from "./results.ts";

const PROGRAM = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));
const PAGES = 20;

const postgres = await TestPostgres.start();
const clickHouse = await startClickHouse();
if (postgres === null || clickHouse === null) {
  console.log(
    postgres === null ? NO_POSTGRES : "ClickHouse is not installed; Debian: apt-get install clickhouse-server",
  );
  process.exitCode = 1;
} else {
  const home = mkdtempSync(join(tmpdir(), "trawl-fleet-bench-"));
  const hosts = await site(PAGES, 0);
  const target = new ClickHouseTarget(clickHouse.address);
  const env = { ...process.env, TRAWL_HOME: home, TRAWL_POSTGRES: postgres.url, TRAWL_NO_UPDATE_CHECK: "1" };
  const fleet = (...typed: string[]) => promisify(execFile)(process.execPath, [PROGRAM, "fleet", ...typed], { env });
  try {
    const records = ["--records", "clickhouse", "--clickhouse", `${clickHouse.address.url}/default`];
    await fleet("start", "bench", hosts.url, ...settings(64, hosts.config), ...records);
    await fleet("work", "bench");
    await target.command("OPTIMIZE TABLE trawl_fleet_bench FINAL");
    const [row] = await target.rows(
      "SELECT toFloat64(sum(bytes)) AS bytes, toFloat64(sum(rows)) AS n FROM system.parts WHERE active AND table = 'trawl_fleet_bench'",
    );
    const { bytes, n } = row as { bytes: number; n: number };
    const text = [
      "## Fleet: records in ClickHouse",
      "",
      `${circumstances(new Date())}, Node ${process.version}; ${n} pages of ${HOSTS} hosts, of 4 KB with eleven links.`,
      "",
      `| record per page in ClickHouse | ${(bytes / n).toFixed(0)} B |`,
      "| --- | ---: |",
    ].join("\n");
    console.log(text);
    writeSection("fleet-clickhouse", text);
  } finally {
    hosts.close();
    await target[Symbol.asyncDispose]();
    await clickHouse[Symbol.asyncDispose]();
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
