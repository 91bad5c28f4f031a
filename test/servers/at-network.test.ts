/** The test network itself: what it serves is what the protocol's own implementation takes for valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyRepoCar } from "@atproto/repo";
import { listenOnLoopback } from "../../src/demo/loopback.ts";
import { type Account, type AtNetwork, type AtNetworkOptions, atNetwork, QUIET_FAULTS } from "./at-network.ts";

async function start(t: { after: (end: () => Promise<void>) => void }, options: AtNetworkOptions): Promise<AtNetwork> {
  const network = await atNetwork(options);
  t.after(() => network.close());
  return network;
}

const urlOf = (network: AtNetwork, { host, did }: Account) =>
  `${network.pds.get(host)!.host.url}/xrpc/com.atproto.sync.getRepo?did=${did}`;

type Page = { cursor?: string; hosts?: unknown[]; repos?: unknown[] };

const json = async (url: string) => (await fetch(url)).json() as Promise<Page>;

test("every good repo is valid for the reference implementation, and the damaged ones are not", async (t) => {
  const network = await start(t, { accounts: [4, 3], faults: QUIET_FAULTS });
  for (const account of network.good) {
    if (account.fault?.startsWith("busy") || account.fault?.endsWith("Once")) continue;
    const response = await fetch(urlOf(network, account));
    assert.equal(response.status, 200, account.fault ?? "good");
    const car = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual(Buffer.from(car), Buffer.from(account.repo.car));
    if (account.fault === null || account.fault === "untidy") {
      const { creates } = await verifyRepoCar(car, account.did, account.key.did());
      const paths = creates.map(({ collection, rkey }) => `${collection}/${rkey}`).sort();
      assert.deepEqual(paths, account.repo.paths);
    }
  }
  for (const fault of ["badHash", "missingBlock", "foreignSignature"] as const) {
    const { did, key, repo } = network.faulty(fault);
    await assert.rejects(verifyRepoCar(repo.car, did, key.did()));
  }
});

test("two networks with the same seed are equal; another seed gives another network", async (t) => {
  const [first, second, other] = await Promise.all([
    start(t, { accounts: [2] }),
    start(t, { accounts: [2] }),
    start(t, { accounts: [2], seed: 2 }),
  ]);
  const dids = (network: AtNetwork) => network.accounts.map(({ did, repo }) => `${did} ${repo.commitCid}`);
  assert.deepEqual(dids(first), dids(second));
  assert.notDeepEqual(dids(first), dids(other));
});

test("lists come in pages: hosts, repos, and PLC operations by both cursors", async (t) => {
  const network = await start(t, { accounts: [5, 1, 1, 1], pageSize: 2 });
  const pages = async (base: string, name: "hosts" | "repos"): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: Page = await json(`${base}?limit=1000${cursor && `&cursor=${cursor}`}`);
      assert.ok(page[name]!.length <= 2);
      found.push(...page[name]!);
      cursor = page.cursor;
    }
    return found;
  };
  assert.equal((await pages(`${network.relay.url}/xrpc/com.atproto.sync.listHosts`, "hosts")).length, 4);
  const pds = network.pds.get("pds-0.atp.example")!;
  const repos = (await pages(`${pds.host.url}/xrpc/com.atproto.sync.listRepos`, "repos")) as { did: string }[];
  assert.deepEqual(repos.map(({ did }) => did).sort(), pds.accounts.map(({ did }) => did).sort());
  const all = network.exportText().split("\n").length - 1;
  for (const field of ["createdAt", "seq"]) {
    let after = field === "seq" ? "0" : "";
    let lines = 0;
    for (;;) {
      const text = await (await fetch(`${network.plc.url}/export?count=1000${after && `&after=${after}`}`)).text();
      if (text === "") break;
      const page = text.trimEnd().split("\n");
      lines += page.length;
      after = String((JSON.parse(page.at(-1)!) as Record<string, unknown>)[field]);
    }
    assert.equal(lines, all, field);
  }
});

test("faults answer as they say, hosts die and return, and all is counted", async (t) => {
  const network = await start(t, { accounts: [2], faults: ["suspended", "busyReset", "resetMidway", "tooLarge"] });
  const suspended = await fetch(urlOf(network, network.faulty("suspended")));
  assert.equal(suspended.status, 400);
  assert.equal(((await suspended.json()) as { error: string }).error, "RepoSuspended");
  const busy = network.faulty("busyReset");
  const refused = await fetch(urlOf(network, busy));
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("ratelimit-reset")) > Date.now() / 1000);
  assert.equal((await fetch(urlOf(network, busy))).status, 200);
  assert.equal(network.fetches(busy.did).length, 2);
  await assert.rejects(fetch(urlOf(network, network.faulty("resetMidway"))).then((response) => response.bytes()));
  const large = await fetch(urlOf(network, network.faulty("tooLarge")));
  assert.equal(large.headers.get("content-length"), String(101 * 1024 * 1024));
  await large.body!.cancel();
  const good = network.good[0]!;
  const { host } = network.pds.get(good.host)!;
  await host.down();
  await assert.rejects(fetch(urlOf(network, good)));
  await host.up();
  assert.equal((await fetch(urlOf(network, good))).status, 200);
});

test("a change gives a repo a new rev, which the list shows", async (t) => {
  const network = await start(t, { accounts: [2] });
  const account = network.good[1]!;
  const before = account.repo;
  await network.change(account.did);
  assert.ok(account.repo.rev > before.rev);
  assert.equal(account.repo.paths.length, before.paths.length + 1);
  await verifyRepoCar(account.repo.car, account.did, account.key.did());
});

test("a guest is listed, reached by its own address, counted, and in the directory", async (t) => {
  const asked: string[] = [];
  const server = await listenOnLoopback((request, response) => {
    asked.push(request.url!);
    response.writeHead(418, { "x-guest": "yes" }).end("short and stout");
  });
  t.after(() => server.close());
  const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
  const operation = {
    alsoKnownAs: ["at://guest.test"],
    verificationMethods: { atproto: "did:key:zGuest" },
    services: { atproto_pds: { endpoint: "https://guest.atp.example" } },
  };
  const guest = { name: "guest.atp.example", url: server.url, operations: new Map([[did, operation]]) };
  const network = await start(t, { accounts: [1], guests: [guest] });
  const host = network.guests.get(guest.name)!;
  const { hosts } = await json(`${network.relay.url}/xrpc/com.atproto.sync.listHosts`);
  assert.ok((hosts as { hostname: string }[]).some(({ hostname }) => hostname === host.hostname));
  const answer = await fetch(`${host.url}/xrpc/com.atproto.sync.getRepo?did=${did}`);
  assert.deepEqual([answer.status, answer.headers.get("x-guest")], [418, "yes"]);
  assert.equal(await answer.text(), "short and stout");
  assert.deepEqual(asked, [`/xrpc/com.atproto.sync.getRepo?did=${did}`]);
  assert.equal(network.fetches(did).length, 1);
  const document = await (await fetch(`${network.plc.url}/${did}`)).text();
  assert.match(document, /"publicKeyMultibase":"zGuest".*https:\/\/guest\.atp\.example/);
  assert.match(network.exportText(), new RegExp(did));
});
