/** A machine in trouble: few file descriptors. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Line, linesOf, PROGRAM, Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

const HOSTS = 90;

/** Answers nothing before `opened`. */
async function serve(opened: Promise<void>): Promise<Server> {
  const server = createServer(async ({ url }, response) => {
    await opened;
    response.writeHead(url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("64 file descriptors for 90 hosts: all of them are crawled, and it is said what is short", async (t) => {
  if (process.platform === "win32") return t.skip("there is no ulimit on Windows");
  // All connections stay open until the crawl has said what it is short of.
  const shortage = Promise.withResolvers<void>();
  const servers = await Promise.all(Array.from({ length: HOSTS }, () => serve(shortage.promise)));
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
  const closed = once(child, "close");
  let isSaid = false;
  let last: Line = {};
  for await (const line of linesOf(child)) {
    last = line;
    if (line.event !== "progress" || !/file descriptors.*ulimit -n/.test(String(line["trouble"]))) continue;
    isSaid = true;
    shortage.resolve();
  }
  assert.ok(isSaid);
  assert.deepEqual([(await closed)[0], last["state"], last["pages"]], [0, "completed", HOSTS]);
});
