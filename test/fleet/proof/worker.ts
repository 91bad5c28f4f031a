/** `trawl fleet work` with lease times of the proof's choice, so that a proof with many deaths does not wait for minutes. */
import { joinFleet } from "../../../src/app/fleet/work.ts";
import { LEASE_TIMES } from "../../../src/fleet/membership.ts";

const [name, postgres, speed] = process.argv.slice(2) as [string, string, string];
const times = Object.fromEntries(Object.entries(LEASE_TIMES).map(([key, ms]) => [key, ms / Number(speed)]));
const options = { name, postgres, maxFetches: 64, onProblem: () => {}, times: times as unknown as typeof LEASE_TIMES };

/** A database that is down when a worker starts is an error; whoever supervises it starts it again, as here. */
const worker = await (async () => {
  for (;;) {
    try {
      return await joinFleet(options);
    } catch (error) {
      if ((error as { code?: string }).code !== "FLEET_DATABASE") throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
})();
process.once("SIGINT", () => void worker.leave());
const { state, error } = await worker.ended;
if (error !== null) console.error(error);
process.exitCode = state === "done" ? 0 : error === null ? 3 : 1;
