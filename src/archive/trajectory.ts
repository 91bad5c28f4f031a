/** `logs/edges.csv`: which page led to which, one row for each link that the policy allows. */
import { CsvLog } from "./csv-log.ts";

export const EDGES_HEADER = "src,dst,depth";

export interface Trajectory {
  add(source: string, target: string, depth: number): void;
  flush(): void;
  close(): Promise<void>;
}

export async function openTrajectory(path: string, onError: (error: Error) => void): Promise<Trajectory> {
  const log = await CsvLog.open(path, EDGES_HEADER, onError);
  return {
    add: (source, target, depth) => log.add([source, target, depth]),
    flush: () => log.flush(),
    close: () => log.close(),
  };
}
