/** A process that writes repos into a folder until it is killed, and prints each DID once it is durable. */
import { posts, sampleRepo, sampleWriter } from "./samples.ts";

const [folder, name] = process.argv.slice(2);
const writer = sampleWriter(folder!, { targetBytes: 20_000 });

async function write(lane: number): Promise<void> {
  for (let number = 0; ; number++) {
    const did = `did:plc:${name}-${lane}-${number}`;
    await writer.append(sampleRepo(did, posts(number % 20)));
    process.stdout.write(`${did}\n`);
  }
}
await Promise.all([0, 1, 2, 3].map(write));
