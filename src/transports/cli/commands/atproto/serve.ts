/** `trawl atproto serve`: an archive over HTTP, for programs that speak the AT Protocol, until it is interrupted. */
import type { Command } from "commander";
import { clean } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { readPort } from "../../selection.ts";
import { addConnections, addInputDir, DamageTeller, type InputOptions } from "./atproto-options.ts";

/** The port of a PDS on a developer's machine. */
const USUAL_PORT = 2583;

interface ServeOptions extends InputOptions {
  port: number;
  host: string;
}

export function addServeCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("serve")
    .summary("serve the archive to programs over HTTP; Ctrl-C stops")
    .description(
      "Answers the AT Protocol's read requests from the archive: com.atproto.sync.getRepo, getRecord, getLatestCommit and listRepos, " +
        "com.atproto.repo.getRecord and listRecords. Repos are rebuilt as they were signed, with the commits that `follow` has recorded " +
        "since, also while it runs. That needs the blocks which `crawl` keeps by default (--proofs blocks). Accounts that are not active " +
        "are refused. /stream is a WebSocket: a snapshot of all records, then new ones, each acknowledged by the client. /segments lists the files of the archive for downloading; these have every account. There is no token: " +
        "anyone who can reach the address can read.",
    )
    .option("--port <n>", "Port; 0 for any free port.", readPort, USUAL_PORT)
    .option("--host <address>", "Address to listen on; 0.0.0.0 for all.", "127.0.0.1");
  addJson(addConnections(addInputDir(command)), "Print JSON lines: the address, and the end.");
  addExamples(command, [
    ["trawl atproto serve", "./rca at http://127.0.0.1:2583/"],
    ["trawl atproto serve -i /data/rca --port 0 --json", "on any free port, which is printed"],
    ["curl http://127.0.0.1:2583/xrpc/com.atproto.sync.listRepos", "the first repos that it has"],
    ["curl -C - -O http://127.0.0.1:2583/segments/segment_0001.rca", "a segment; continues a download"],
  ]);
  command.action((options: ServeOptions) => serveSession(cli, options));
}

async function serveSession(cli: Cli, options: ServeOptions): Promise<void> {
  const { serveArchive } = await import("../../../../app/atproto/serve.ts");
  const { terminal } = cli;
  const { inputDir: folder, host, port } = options;
  const damage = new DamageTeller(cli, options);
  const interrupted = Promise.withResolvers<void>();
  // Before anything is printed: the reader of the line may send the signal at once.
  const stopListening = listenForInterrupts((presses) => (presses > 1 ? process.exit(3) : interrupted.resolve()));
  try {
    const server = await serveArchive({
      folder,
      host,
      port,
      onDamage: damage.tell,
      onError: (error) => terminal.note(`error: A request failed: ${clean(String((error as Error).message ?? error))}`),
    });
    if (options.json) terminal.json({ event: "serving", url: server.url, port: server.port, folder, pid: process.pid });
    else terminal.lines([`Serving ${clean(folder)} at ${server.url}/. Press Ctrl-C to stop it.`]);
    // A server continues even if its output is no longer read.
    terminal.onClosed = () => {};
    await interrupted.promise;
    await server.close();
    if (options.json) terminal.json({ event: "end", damaged: damage.count });
  } finally {
    stopListening();
  }
}
