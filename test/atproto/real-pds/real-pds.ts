/** The real PDS in a process of its own, with a PLC directory that takes what it registers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { listenOnLoopback } from "../../../src/demo/loopback.ts";

/** Where @atproto/pds is installed (`npm install --ignore-scripts @atproto/pds` in a folder of its own); null if nowhere. */
export function installedPds(): string | null {
  const folder = process.env["TRAWL_TEST_PDS"] ?? fileURLToPath(new URL("../../..", import.meta.url));
  return existsSync(join(folder, "node_modules/@atproto/pds/package.json")) ? folder : null;
}

export interface PdsAccount {
  did: string;
  token: string;
}

export interface RealPds {
  url: string;
  plcUrl: string;
  createAccount(name: string): Promise<PdsAccount>;
  /** Calls a procedure of the PDS as this account. */
  call(account: PdsAccount, method: string, body: object): Promise<Record<string, string>>;
  close(): Promise<void>;
}

interface Operation {
  alsoKnownAs: string[];
  verificationMethods: { atproto: string };
  services: { atproto_pds: { endpoint: string } };
}

export async function startRealPds(installed: string): Promise<RealPds> {
  const data = mkdtempSync(join(tmpdir(), "trawl-pds-"));
  const operations = new Map<string, Operation>();
  let url = "";
  const plc = await listenOnLoopback(async (request, response) => {
    const did = decodeURIComponent((request.url ?? "/").slice(1));
    if (request.method === "POST") operations.set(did, JSON.parse(await text(request)) as Operation);
    const operation = operations.get(did);
    if (operation === undefined) response.writeHead(404).end("{}");
    else response.end(JSON.stringify(documentOf(did, operation, url)));
  });
  const script = fileURLToPath(new URL("run-pds.ts", import.meta.url));
  const child = spawn(process.execPath, [script, installed, data, plc.url], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const died = exited.then(([code]) => Promise.reject(new Error(`the PDS ended with ${code}`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), died]);
  died.catch(() => {});
  url = `http://127.0.0.1:${(JSON.parse(line as string) as { port: number }).port}`;

  const post = async (method: string, body: object, token?: string): Promise<Record<string, string>> => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${url}/xrpc/${method}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method}: ${response.status} ${answer}`);
    return answer === "" ? {} : JSON.parse(answer);
  };
  return {
    url,
    plcUrl: plc.url,
    async createAccount(name) {
      const made = { handle: `${name}.test`, email: `${name}@example.com`, password: "correct horse" };
      const { did, accessJwt } = await post("com.atproto.server.createAccount", made);
      return { did: did!, token: accessJwt! };
    },
    call: ({ token }, method, body) => post(method, body, token),
    async close() {
      child.stdin.end();
      await exited;
      await plc.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The PDS believes to be https://localhost; here it is reached as what it is. */
const documentOf = (did: string, { alsoKnownAs, verificationMethods }: Operation, serviceEndpoint: string) => ({
  id: did,
  alsoKnownAs,
  verificationMethod: [
    {
      id: `${did}#atproto`,
      type: "Multikey",
      controller: did,
      publicKeyMultibase: verificationMethods.atproto.slice("did:key:".length),
    },
  ],
  service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint }],
});
