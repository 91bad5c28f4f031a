/** The real PDS in a separate process, with a PLC directory that accepts what it registers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { listenOnLoopback } from "../../../src/demo/loopback.ts";
import { documentOf } from "../../servers/at-network/directory.ts";
import type { Guest, PlcOperation } from "../../servers/at-network/guest.ts";

export interface PdsAccount {
  did: string;
  token: string;
}

export interface RealPds extends Guest {
  plcUrl: string;
  createAccount(person: string): Promise<PdsAccount>;
  /** Calls a procedure of the PDS as this account. */
  call(account: PdsAccount, method: string, body: object): Promise<Record<string, string>>;
  /** As its administrator. */
  takeDown(did: string): Promise<unknown>;
  close(): Promise<void>;
}

const ADMIN_PASSWORD = "admin";

/** It assumes that it is `https://<name>`, and registers that with the directory. */
export async function startRealPds(installed: string, name: string): Promise<RealPds> {
  const data = mkdtempSync(join(tmpdir(), "trawl-pds-"));
  const operations = new Map<string, PlcOperation>();
  const plc = await listenOnLoopback(async (request, response) => {
    const did = decodeURIComponent((request.url ?? "/").slice(1));
    if (request.method === "POST") operations.set(did, JSON.parse(await text(request)) as PlcOperation);
    const operation = operations.get(did);
    if (operation === undefined) response.writeHead(404).end("{}");
    else response.end(JSON.stringify(documentOf(did, operation)));
  });
  const script = fileURLToPath(new URL("run-pds.ts", import.meta.url));
  const child = spawn(process.execPath, [script, installed, data, plc.url, name], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, PDS_ADMIN_PASSWORD: ADMIN_PASSWORD },
  });
  const exited = once(child, "exit");
  const died = exited.then(([code]) => Promise.reject(new Error(`the PDS ended with ${code}`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), died]);
  died.catch(() => {});
  const url = `http://127.0.0.1:${(JSON.parse(line as string) as { port: number }).port}`;

  const post = async (method: string, body: object, authorization?: string): Promise<Record<string, string>> => {
    const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
    const response = await fetch(`${url}/xrpc/${method}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method}: ${response.status} ${answer}`);
    return answer === "" ? {} : JSON.parse(answer);
  };
  return {
    name,
    url,
    operations,
    plcUrl: plc.url,
    async createAccount(person) {
      const made = { handle: `${person}.test`, email: `${person}@example.com`, password: "correct horse" };
      const { did, accessJwt } = await post("com.atproto.server.createAccount", made);
      return { did: did!, token: accessJwt! };
    },
    call: ({ token }, method, body) => post(method, body, `Bearer ${token}`),
    takeDown(did) {
      const subject = { $type: "com.atproto.admin.defs#repoRef", did };
      const administrator = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString("base64")}`;
      return post("com.atproto.admin.updateSubjectStatus", { subject, takedown: { applied: true } }, administrator);
    },
    async close() {
      child.stdin.end();
      await exited;
      await plc.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
