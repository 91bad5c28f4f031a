/** A machine in trouble: few file descriptors. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { finished, jsonLines, PROGRAM, Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

const HOSTS = 90;

async function serve(): Promise<Server> {
  const server = createServer(({ url }, response) => {
    // Late enough for many connections to be open at once.
    setTimeout(() => response.writeHead(url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" }).end(), 50);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("64 file descriptors for 90 hosts: all of them are crawled, and it is said what is short", async (t) => {
  if (process.platform === "win32") return t.skip("there is no ulimit on Windows");
  const servers = await Promise.all(Array.from({ length: HOSTS }, serve));
  t.after(() => servers.map((server) => server.close()));
  const list = join(trawl.folder, "hosts.txt");
  writeFileSync(
    list,
    servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`).join(""),
  );
  const typed = [PROGRAM, "list", list, "--allow-private", "--parallelism", String(HOSTS), "--json"];
  const child = spawn("sh", ["-c", `ulimit -n 64; exec "$0" "$@"`, process.execPath, ...typed], {
    env: { ...process.env, TRAWL_HOME: join(trawl.folder, "home"), NO_COLOR: "1" },
  });
  const { code, stdout } = await finished(child);
  const lines = jsonLines(stdout);
  assert.deepEqual([code, lines.at(-1)!["state"], lines.at(-1)!["pages"]], [0, "completed", HOSTS]);
  const troubles = lines.filter(({ event }) => event === "progress").map(({ trouble }) => trouble);
  assert.ok(
    troubles.some((text) => /file descriptors.*ulimit -n/.test(String(text))),
    JSON.stringify(troubles),
  );
});
