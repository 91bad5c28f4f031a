/** `--connect-to` and `--ca`: reaching the host in an unusual way. */
import type { Command } from "commander";
import type { Reach } from "../../../../app/archive/run.ts";

export interface ReachOptions {
  connectTo: string[];
  ca?: string;
}

export const addReach = (command: Command): Command =>
  command
    .option(
      "--connect-to <h:p:a:p>",
      "Connect to another address for a host, as curl does: host:port:address:port. Repeatable.",
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option("--ca <file>", "Trust the certificates in this PEM file too.");

export async function readReach({ connectTo, ca }: ReachOptions): Promise<Reach> {
  const [{ parseConnectTo }, { readCertificates }] = await Promise.all([
    import("../../../../net/route.ts"),
    import("../../../../net/tls-client.ts"),
  ]);
  return { connectTo: connectTo.map(parseConnectTo), ca: ca === undefined ? null : readCertificates(ca) };
}
