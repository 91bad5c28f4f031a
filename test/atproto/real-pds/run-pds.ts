/**
 * Runs the real PDS: `node run-pds.ts <folder that has node_modules/@atproto/pds> <data folder> <URL of a PLC directory>`.
 * Prints {"port":N} once it listens, and ends when its standard input does.
 */
import { randomBytes } from "node:crypto";
import { createRequire, registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [installed = "", data = "", plcUrl = ""] = process.argv.slice(2);
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "better-sqlite3"
      ? { url: new URL("sqlite-shim.ts", import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});

Object.assign(process.env, {
  PDS_PORT: "0",
  PDS_HOSTNAME: "localhost",
  PDS_DEV_MODE: "true",
  PDS_DATA_DIRECTORY: data,
  PDS_BLOBSTORE_DISK_LOCATION: join(data, "blobs"),
  PDS_DID_PLC_URL: plcUrl,
  PDS_SERVICE_HANDLE_DOMAINS: ".test",
  PDS_INVITE_REQUIRED: "false",
  PDS_JWT_SECRET: "jwt-secret",
  PDS_ADMIN_PASSWORD: "admin",
  PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: randomBytes(32).toString("hex"),
  LOG_ENABLED: "false",
});

const path = createRequire(join(installed, "package.json")).resolve("@atproto/pds");
// The package is in a folder of its own: its types are not known here.
const { envToCfg, envToSecrets, PDS, readEnv } = await import(pathToFileURL(path).href);
const env = readEnv();
const pds = await PDS.create(envToCfg(env), envToSecrets(env));
const server = await pds.start();
console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
process.stdin.resume().once("end", () => process.exit(0));
