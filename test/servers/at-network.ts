/**
 * An AT Protocol network on loopback: PDS servers with repos that carry real signatures, a relay, the PLC directory and
 * did:web names, with faults by repo and by host. Every server counts and times what it is asked.
 */
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import type { Certificate } from "../../src/net/testing/certificate.ts";
import { type Account, faultOf, makeAccount, repoOf } from "./at-network/accounts.ts";
import { exportText, plcListener, plcOperations, relayListener, webListener } from "./at-network/directory.ts";
import { FAULTS, type FaultName, QUIET_FAULTS, STEADY_BYTES } from "./at-network/faults.ts";
import { forwardTo, type Guest } from "./at-network/guest.ts";
import { Host, type HostRequest } from "./at-network/host.ts";
import { type Conduct, goodConduct, pdsListener } from "./at-network/pds.ts";

export interface AtNetworkOptions {
  /** For https: names such as `pds-0.atp.example`, reached with `reach`. Without it plain HTTP on 127.0.0.1. */
  certificate?: Certificate | null;
  /** Good accounts of each PDS. */
  accounts?: readonly number[];
  /** How many of the accounts of the last PDS are did:web. Needs a certificate. */
  webDids?: number;
  /** Each is one more account: quiet ones on the first PDS, those of a host in trouble on a PDS of their own. */
  faults?: readonly FaultName[];
  /** A PDS with an untrusted certificate: one more account. */
  untrusted?: Certificate;
  /** Servers that are not ours, each one more PDS. */
  guests?: readonly Guest[];
  /** The most records of a repo; the first of each PDS is empty. */
  records?: number;
  /** The most that a page of hosts, repos or operations has. */
  pageSize?: number;
  /** The relay lists accounts by collection. */
  listsCollections?: boolean;
  /** DIDs of the directory that were given up; two operations each. */
  tombstones?: number;
  /** The time between two parts of a slow answer. */
  dripMs?: number;
  /** What the servers wait and measure by; the system's unless given. */
  clock?: Clock;
  seed?: number;
}

export interface Pds {
  host: Host;
  conduct: Conduct;
  accounts: Account[];
}

export interface AtNetwork {
  clock: Clock;
  relay: Host;
  plc: Host;
  pds: ReadonlyMap<string, Pds>;
  guests: ReadonlyMap<string, Host>;
  accounts: readonly Account[];
  /** Those whose repo must be in an archive. */
  good: readonly Account[];
  /** The others, by the class that they must get. */
  bad: ReadonlyMap<string, Account[]>;
  /** How the names are reached. */
  reach: { connectTo: { host: string; port: number; address: string; toPort: number }[]; ca: string | null };
  /** The same as flags of the command line; the file for the authority is the caller's. */
  connectFlags(): string[];
  faulty(fault: FaultName): Account;
  /** Of all hosts, in the order of arrival. */
  requests(): HostRequest[];
  /** getRepo requests of a DID. */
  fetches(did: string): HostRequest[];
  /** Resolves when so many more repos have been asked for. */
  until(more: number): Promise<void>;
  /** Another record and another rev. */
  change(did: string): Promise<void>;
  exportText(sequenced?: boolean): string;
  openSockets(): number;
  reset(): void;
  close(): Promise<void>;
}

const USUAL = { accounts: [30, 30, 30, 10], records: 12, pageSize: 1_000, tombstones: 2, dripMs: 50, seed: 1 };

/** The names that a certificate must be for. */
export const AT_NAMES = ["*.atp.example"];

export async function atNetwork(options: AtNetworkOptions = {}): Promise<AtNetwork> {
  const { accounts: sizes, records, pageSize, tombstones, dripMs, seed } = { ...USUAL, ...options };
  const { certificate: tls = null, guests = [], clock = systemClock } = options;
  const all: Account[] = [];
  const requests: HostRequest[] = [];
  const waiting = new Set<{ left: number; resolve: () => void }>();
  const pds = new Map<string, Pds>();
  const others: Host[] = [];

  const onRequest = (request: HostRequest): void => {
    requests.push(request);
    if (request.method !== "com.atproto.sync.getRepo") return;
    for (const one of waiting) if (--one.left <= 0 && waiting.delete(one)) one.resolve();
  };
  const addPds = (name: string, certificate = tls): Pds => {
    const accounts: Account[] = [];
    const conduct = goodConduct();
    const listener = pdsListener({ accounts: () => accounts, pageSize, dripMs, clock, conduct });
    const made = { host: new Host({ name, listener, tls: certificate, clock, onRequest }), conduct, accounts };
    pds.set(name, made);
    return made;
  };
  const settle = async (home: Pds, fault: FaultName | null, webHost?: string): Promise<void> => {
    const index = all.length;
    const many = home.accounts.length === 0 && fault === null ? 0 : 3 + ((index * 5) % Math.max(1, records - 2));
    const spec = { index, host: home.host.name, fault, records: many, seed, ...(webHost && { webHost }) };
    const account = await makeAccount(spec);
    all.push(account);
    home.accounts.push(account);
  };

  for (const [number, size] of sizes.entries()) {
    const home = addPds(`pds-${number}.atp.example`);
    const webFrom = number === sizes.length - 1 ? size - (options.webDids ?? 0) : size;
    for (let index = 0; index < size; index++) {
      await settle(home, null, index >= webFrom ? `web-${index - webFrom}.atp.example` : undefined);
    }
  }
  for (const fault of options.faults ?? []) {
    await settle(
      QUIET_FAULTS.includes(fault) ? pds.get("pds-0.atp.example")! : addPds(`${kebab(fault)}.atp.example`),
      fault,
    );
  }
  if (options.untrusted) await settle(addPds("untrusted.atp.example", options.untrusted), null);

  const urlOf = (name: string) => pds.get(name)!.host.url;
  const directory = { accounts: () => all, guests, urlOf, pageSize, tombstones };
  const own = (name: string, listener: ConstructorParameters<typeof Host>[0]["listener"]): Host => {
    const host = new Host({ name, listener, tls, clock, onRequest });
    others.push(host);
    return host;
  };
  const guestHosts = new Map(guests.map(({ name, url }) => [name, own(name, forwardTo(url))]));
  const hosts = () => [
    ...[...pds.values()].map(({ host, accounts }) => ({ hostname: host.hostname, accounts: accounts.length })),
    ...guests.map(({ name, operations }) => ({ hostname: guestHosts.get(name)!.hostname, accounts: operations.size })),
  ];
  const relay = own(
    "relay.atp.example",
    relayListener({ hosts, pageSize: Math.min(pageSize, 3), accounts: options.listsCollections ? () => all : null }),
  );
  const plc = own("plc.atp.example", plcListener(directory));
  const web = own("web.atp.example", webListener(directory));
  const everyHost = [...[...pds.values()].map(({ host }) => host), ...others];
  await Promise.all(everyHost.map((host) => host.up()));

  const rule = (host: string, toPort: number) => ({ host, port: 443, address: "127.0.0.1", toPort });
  const webNames = all.filter(({ did }) => did.startsWith("did:web:")).map(({ did }) => did.slice(8));
  const connectTo =
    tls === null
      ? []
      : [...everyHost.map(({ name, port }) => rule(name, port)), ...webNames.map((name) => rule(name, web.port))];
  const unreachable = (account: Account) => account.host === "untrusted.atp.example";
  const classOf = (account: Account) => (unreachable(account) ? "connection_error" : faultOf(account).expects);
  const bad = new Map<string, Account[]>();
  for (const account of all) {
    const name = classOf(account);
    if (name !== null) bad.set(name, [...(bad.get(name) ?? []), account]);
  }

  return {
    clock,
    relay,
    plc,
    pds,
    guests: guestHosts,
    accounts: all,
    good: all.filter((account) => classOf(account) === null),
    bad,
    reach: { connectTo, ca: tls?.ca ?? null },
    connectFlags: () =>
      connectTo.flatMap(({ host, port, address, toPort }) => ["--connect-to", `${host}:${port}:${address}:${toPort}`]),
    faulty: (fault) => all.find((account) => account.fault === fault)!,
    requests: () => [...requests],
    fetches: (did) => requests.filter((request) => request.did === did),
    until: (more) => new Promise((resolve) => waiting.add({ left: more, resolve })),
    async change(did) {
      const account = all.find((one) => one.did === did)!;
      account.version++;
      account.repo = await repoOf(account, account.repo.paths.length + 1, seed);
    },
    exportText: (sequenced) => exportText(plcOperations(directory), sequenced),
    openSockets: () => everyHost.reduce((sum, host) => sum + host.openSockets, 0),
    reset() {
      requests.length = 0;
      for (const host of everyHost) host.requests.length = 0;
    },
    close: async () => void (await Promise.all(everyHost.map((host) => host.down()))),
  };
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export type { Account } from "./at-network/accounts.ts";
export type { Guest } from "./at-network/guest.ts";
export { FAULTS, type FaultName, type HostRequest, QUIET_FAULTS, STEADY_BYTES };
