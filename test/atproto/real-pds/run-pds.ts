/**
 * Runs the real PDS: `node run-pds.ts <folder that has node_modules/@atproto/pds> <data folder> <URL of a PLC directory> <host name>`.
 * Prints {"port":N} once it listens, and ends when its standard input does.
 */
import { randomBytes } from "node:crypto";
import { createRequire, registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [installed = "", data = "", plcUrl = "", hostname = ""] = process.argv.slice(2);
const standIns = new Map([
  ["better-sqlite3", "sqlite-shim.ts"],
  ["@atproto/aws", "aws-shim.ts"],
]);
registerHooks({
  resolve(specifier, context, next) {
    const file = standIns.get(specifier);
    return file === undefined
      ? next(specifier, context)
      : { url: new URL(file, import.meta.url).href, shortCircuit: true };
  },
});

Object.assign(process.env, {
  PDS_PORT: "0",
  PDS_HOSTNAME: hostname,
  PDS_DEV_MODE: "true",
  PDS_DATA_DIRECTORY: data,
  PDS_BLOBSTORE_DISK_LOCATION: join(data, "blobs"),
  PDS_DID_PLC_URL: plcUrl,
  PDS_SERVICE_HANDLE_DOMAINS: ".test",
  PDS_INVITE_REQUIRED: "false",
  PDS_JWT_SECRET: "jwt-secret",
  PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: randomBytes(32).toString("hex"),
  LOG_ENABLED: "false",
});

const path = createRequire(join(installed, "package.json")).resolve("@atproto/pds");
// The package is in a separate folder: its types are not known here.
const { envToCfg, envToSecrets, PDS, readEnv } = await import(pathToFileURL(path).href);
const env = readEnv();
const pds = await PDS.create(envToCfg(env), envToSecrets(env));
// By itself it listens on every address of the machine.
const listen = pds.app.listen.bind(pds.app);
pds.app.listen = (port: number) => listen(port, "127.0.0.1");
const server = await pds.start();
console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
process.stdin.resume().once("end", () => process.exit(0));
