/**
 * Serves a test site from a separate process: `node test/servers/serve.ts <counting|big> '<options as JSON>'`.
 * Prints {"port":N} once it listens, and ends when its standard input does, so that no server outlives its test.
 */
import { bigDiscoverySite } from "./big-discovery-site.ts";
import { countingSite } from "./counting-site.ts";

const KINDS = { counting: countingSite, big: bigDiscoverySite };

const [kind = "", options = "{}"] = process.argv.slice(2);
if (!(kind in KINDS)) {
  console.error(`usage: serve.ts <${Object.keys(KINDS).join("|")}> '<options as JSON>'`);
  process.exit(2);
}
const { port } = await KINDS[kind as keyof typeof KINDS](JSON.parse(options));
console.log(JSON.stringify({ port }));
process.stdin.resume().once("end", () => process.exit(0));
