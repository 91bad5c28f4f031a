/** Runs one program to its end and returns its time, its processor time and memory, and its output. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { endedChildrenSeconds, treeMemory } from "./process-tree.ts";

export interface Command {
  file: string;
  arguments: string[];
  folder?: string;
  environment?: Record<string, string>;
}

export interface Measured {
  stdout: string;
  wallSeconds: number;
  processorSeconds: number;
  peakBytes: number;
}

const SAMPLE_MS = 25;
const TIME_LIMIT_MS = 20 * 60_000;

/** Only one at a time: processor time is the increase in the time used by all ended children. */
export async function measure(command: Command): Promise<Measured> {
  const before = endedChildrenSeconds();
  const began = performance.now();
  const child = start(command);
  let peakBytes = 0;
  const sampler = setInterval(() => {
    const { resident, highest } = treeMemory(child.pid!);
    peakBytes = Math.max(peakBytes, resident, highest);
  }, SAMPLE_MS);
  const [stdout, [code]] = await Promise.all([text(child.stdout!), once(child, "exit")]);
  clearInterval(sampler);
  const wallSeconds = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`${command.file} ended with ${code}: ${stdout.slice(-500)}`);
  return { stdout, wallSeconds, processorSeconds: endedChildrenSeconds() - before, peakBytes };
}

export function start(command: Command): ChildProcess {
  return spawn(command.file, command.arguments, {
    cwd: command.folder,
    env: { ...process.env, ...command.environment },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: TIME_LIMIT_MS,
  });
}
