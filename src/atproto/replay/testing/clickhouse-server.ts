/** A ClickHouse server for tests: Debian's server on a free port, in a folder that is removed. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcess, freePort } from "../../testing/service-process.ts";
import type { ClickHouseAddress } from "../clickhouse-target.ts";

export interface TestClickHouse extends AsyncDisposable {
  address: ClickHouseAddress;
}

/** Debian installs it outside the usual path. */
const SEARCHED = `${process.env["PATH"]}:/usr/sbin`;
const START_MS = 20_000;
const POLL_MS = 20;

/** Null when it is not installed. */
export async function startClickHouse(timeZone = "UTC"): Promise<TestClickHouse | null> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-clickhouse-"));
  const port = await freePort();
  const config = join(folder, "config.xml");
  await writeFile(config, configXml(folder, port, timeZone));
  await writeFile(join(folder, "users.xml"), USERS);
  const server = spawn("clickhouse-server", [`--config-file=${config}`], {
    cwd: folder,
    env: { PATH: SEARCHED },
    stdio: "ignore",
  });
  const stop = async (): Promise<void> => {
    await endProcess(server);
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  if (!(await isReady(server, url))) {
    await stop();
    return null;
  }
  return { address: { url, database: "default", username: "default", password: "" }, [Symbol.asyncDispose]: stop };
}

const configXml = (folder: string, port: number, timeZone: string): string => `<yandex>
  <logger><level>warning</level><log>${folder}/server.log</log><errorlog>${folder}/errors.log</errorlog></logger>
  <http_port>${port}</http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <timezone>${timeZone}</timezone>
</yandex>`;

const USERS = `<yandex>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </default>
  </users>
</yandex>`;

/** It does not report when it is ready, so it is polled. */
async function isReady(server: ChildProcess, url: string): Promise<boolean> {
  let isGone = false;
  const gone = (): void => {
    isGone = true;
  };
  server.once("error", gone);
  server.once("exit", gone);
  const until = performance.now() + START_MS;
  while (!isGone && performance.now() < until) {
    const answer = await fetch(`${url}/ping`).catch(() => null);
    if (answer?.ok) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}
