/** Where accounts are hosted: the PLC directory with its export, the documents of did:web names, and the relay's list of hosts. */
import type { RequestListener, ServerResponse } from "node:http";
import { type Account, plcDid } from "./accounts.ts";
import type { Guest, PlcOperation } from "./guest.ts";
import { sendJson } from "./pds.ts";

export interface DirectoryOptions {
  accounts: () => readonly Account[];
  guests: readonly Guest[];
  /** The PDS's URL by its name. */
  urlOf: (host: string) => string;
  /** The most that a page holds, whatever was asked for. */
  pageSize: number;
  /** How many DIDs of the directory have been given up. */
  tombstones: number;
}

interface ExportLine {
  seq: number;
  did: string;
  operation: object;
  cid: string;
  nullified: boolean;
  createdAt: string;
}

const isPlc = ({ did }: Account): boolean => did.startsWith("did:plc:");

/**
 * Every operation of the did:plc accounts, oldest first. Every fifth account begins with a legacy `create`; every fourth
 * has moved here from elsewhere; every seventh has a last operation that was nullified.
 */
export function plcOperations({ accounts, guests, urlOf, tombstones }: DirectoryOptions): ExportLine[] {
  const drafts: { did: string; operation: object; nullified?: boolean }[] = [];
  const people = accounts().filter(isPlc);
  for (const { did, index, handle, key, host } of people) {
    if (index % 4 === 0)
      drafts.push({ did, operation: operation(key.did(), handle, "https://left-behind.atp.example") });
    if (index % 5 === 0) {
      const legacy = { type: "create", signingKey: key.did(), recoveryKey: key.did(), handle, prev: null, sig: "" };
      drafts.unshift({ did, operation: { ...legacy, service: urlOf(host) } });
    }
  }
  for (const { did, index, handle, key, host } of people) {
    if (index % 5 !== 0 || index % 4 === 0) drafts.push({ did, operation: operation(key.did(), handle, urlOf(host)) });
    if (index % 7 === 0) {
      drafts.push({ did, operation: operation(key.did(), handle, "https://nullified.atp.example"), nullified: true });
    }
  }
  for (const did of tombstoneDids(tombstones)) {
    drafts.unshift({
      did,
      operation: operation("did:key:zNone", "gone.atp.example", "https://left-behind.atp.example"),
    });
    drafts.push({ did, operation: { type: "plc_tombstone", prev: "bafyreiabc", sig: "" } });
  }
  for (const { operations } of guests) {
    for (const [did, operation] of operations) drafts.push({ did, operation });
  }
  return drafts.map((draft, index) => ({
    seq: index + 1,
    nullified: false,
    ...draft,
    cid: `bafyrei${index}`,
    createdAt: new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
  }));
}

export const tombstoneDids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => plcDid(`tombstone ${index}`));

const operation = (signingKey: string, handle: string, endpoint: string) => ({
  type: "plc_operation",
  services: { atproto_pds: { type: "AtprotoPersonalDataServer", endpoint } },
  verificationMethods: { atproto: signingKey },
  rotationKeys: [signingKey],
  alsoKnownAs: [`at://${handle}`],
  prev: null,
  sig: "",
});

/** The lines of a page as they stand in a file of the export. */
export const exportText = (lines: readonly ExportLine[], sequenced = false): string =>
  lines
    .map(({ seq, ...line }) => `${JSON.stringify(sequenced ? { type: "sequenced_op", seq, ...line } : line)}\n`)
    .join("");

/** `/export` in both cursor forms, and `/{did}`. */
export function plcListener(options: DirectoryOptions): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? "/", "http://plc");
    if (url.pathname === "/export") return sendExport(url, response, options);
    const did = decodeURIComponent(url.pathname.slice(1));
    const account = options.accounts().find((one) => one.did === did && isPlc(one));
    const registered = options.guests.map(({ operations }) => operations.get(did)).find((one) => one !== undefined);
    if (tombstoneDids(options.tombstones).includes(did))
      sendJson(response, { message: `DID not available: ${did}` }, 410);
    else if (account !== undefined) sendJson(response, didDocument(account, options));
    else if (registered !== undefined) sendJson(response, documentOf(did, registered));
    else sendJson(response, { message: `DID not registered: ${did}` }, 404);
  };
}

function sendExport({ searchParams }: URL, response: ServerResponse, options: DirectoryOptions): void {
  const after = searchParams.get("after");
  const sequenced = after !== null && /^\d+$/.test(after);
  const count = Math.min(Number(searchParams.get("count") ?? 10), options.pageSize);
  const rest = plcOperations(options).filter(({ seq, createdAt }) =>
    after === null ? true : sequenced ? seq > Number(after) : createdAt > after,
  );
  response.writeHead(200, { "content-type": "application/jsonlines" }).end(exportText(rest.slice(0, count), sequenced));
}

/** `/.well-known/did.json` by the name of the host that was asked. */
export function webListener(options: DirectoryOptions): RequestListener {
  return (request, response) => {
    const did = `did:web:${String(request.headers.host).replace(/:443$/, "").replace(":", "%3A")}`;
    const account = options.accounts().find((one) => one.did === did);
    if (request.url !== "/.well-known/did.json" || account === undefined) response.writeHead(404).end();
    else sendJson(response, didDocument(account, options));
  };
}

function didDocument({ did, handle, key, host, oldKey }: Account, { urlOf }: DirectoryOptions) {
  const document = documentOf(did, operation(key.did(), handle, urlOf(host)));
  if (oldKey !== undefined) Object.assign(document.verificationMethod[0]!, { id: "#atproto", ...oldKey });
  return document;
}

/** What the directory answers for a DID whose last operation this is. */
export function documentOf(did: string, { alsoKnownAs, verificationMethods, services }: PlcOperation) {
  const publicKeyMultibase = verificationMethods.atproto.slice("did:key:".length);
  return {
    "@context": ["https://www.w3.org/ns/did/v1"],
    id: did,
    alsoKnownAs,
    verificationMethod: [{ id: `${did}#atproto`, type: "Multikey", controller: did, publicKeyMultibase }],
    service: [
      { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: services.atproto_pds.endpoint },
    ],
  };
}

export interface RelayOptions {
  hosts: () => { hostname: string; accounts: number }[];
  pageSize: number;
  /** Of which it lists those with records in a collection; null when it does not offer that. */
  accounts: (() => readonly Account[]) | null;
}

export function relayListener({ hosts, pageSize, accounts }: RelayOptions): RequestListener {
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://relay");
    if (pathname === "/xrpc/com.atproto.sync.listReposByCollection" && accounts !== null) {
      const prefix = `${searchParams.get("collection")}/`;
      const all = accounts().filter(({ repo }) => repo.paths.some((path) => path.startsWith(prefix)));
      const from = Number(searchParams.get("cursor") ?? 0);
      const repos = all.slice(from, from + pageSize).map(({ did }) => ({ did }));
      const next = from + repos.length < all.length ? { cursor: String(from + repos.length) } : {};
      return sendJson(response, { ...next, repos });
    }
    if (pathname !== "/xrpc/com.atproto.sync.listHosts") {
      return sendJson(response, { error: "MethodNotImplemented" }, 501);
    }
    const all = hosts();
    const from = Number(searchParams.get("cursor") ?? 0);
    const limit = Math.min(Number(searchParams.get("limit") ?? 200), pageSize);
    const page = all.slice(from, from + limit).map(({ hostname, accounts }, index) => {
      return { hostname, seq: from + index, accountCount: accounts, status: "active" };
    });
    const next = from + page.length < all.length ? { cursor: String(from + page.length) } : {};
    sendJson(response, { ...next, hosts: page });
  };
}
