/** Proxies: they take turns, one that gets a 429 rests, and each line names its proxy. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { archiveAll, makeWorkspace, metadataOf, startHost, storedPaths } from "./archiving.ts";

/** A proxy that only makes tunnels, and counts them. */
async function tunnelProxy(
  t: TestContext,
  refuses = false,
): Promise<{ url: string; id: string; tunnels: () => number }> {
  let tunnels = 0;
  const sockets = new Set<Socket>();
  const server = createServer().on("connect", (request, client: Socket) => {
    tunnels++;
    client.on("error", () => {});
    if (refuses) {
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    const [host, port] = request.url!.split(":");
    const upstream = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.once("close", () => upstream.destroy());
  });
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://user:secret@127.0.0.1:${port}`, id: `127.0.0.1:${port}`, tunnels: () => tunnels };
}

test("requests go through every proxy in turn, and the metadata names them without their passwords", async (t) => {
  const host = await startHost(t);
  const [one, two] = [await tunnelProxy(t), await tunnelProxy(t)];
  const workspace = await makeWorkspace(t, { proxies: { enabled: true, pool: [one.url, two.url] } });
  await archiveAll(workspace, host);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  const ids = metadataOf(workspace).map((record) => record.proxy_id);
  assert.deepEqual([...new Set(ids)].sort(), [one.id, two.id].sort());
  const ofOne = ids.filter((id) => id === one.id).length;
  assert.ok(Math.abs(ofOne - ids.length / 2) <= ids.length / 4, `${ofOne} of ${ids.length}`);
  assert.ok(one.tunnels() > 0 && two.tunnels() > 0);
});

test("a proxy that lets nothing through rests, and the others take over", async (t) => {
  const host = await startHost(t);
  const [good, bad] = [await tunnelProxy(t), await tunnelProxy(t, true)];
  const workspace = await makeWorkspace(t, { proxies: { enabled: true, pool: [bad.url, good.url] } });
  await archiveAll(workspace, host);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  assert.ok(bad.tunnels() <= 9, `the bad one was asked ${bad.tunnels()} times`);
  assert.ok(metadataOf(workspace).every((record) => record.proxy_id === good.id));
});
