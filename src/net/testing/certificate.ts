/** A certificate authority and a server certificate for tests, created with openssl when a test needs them. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Certificate {
  /** PEM of the authority, to be trusted. */
  ca: string;
  key: string;
  cert: string;
}

const run = promisify(execFile);

/** For `localhost`, `site.test` and 127.0.0.1, and for further host names. */
export async function makeCertificate(...hosts: string[]): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-certificate-"));
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  try {
    await openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "90", "-subj", "/CN=Test CA");
    await openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
    const names = ["localhost", "site.test", ...hosts].map((host) => `DNS:${host}`);
    await writeFile(join(folder, "names"), `subjectAltName=${names.join(",")},IP:127.0.0.1\n`);
    const sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "90", "-extfile", "names"];
    await openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...sign);
    const [ca, serverKey, cert] = await Promise.all(
      ["ca.pem", "server.key", "server.pem"].map((name) => readFile(join(folder, name), "utf8")),
    );
    return { ca: ca!, key: serverKey!, cert: cert! };
  } finally {
    await rm(folder, { recursive: true });
  }
}
