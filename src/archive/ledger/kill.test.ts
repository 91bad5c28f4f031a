/** A process killed with SIGKILL among its commits, again and again: what is left is the first of them, each whole. */
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { killRounds } from "../../kernel/testing/kill-rounds.ts";
import { fileHarness } from "./testing/file-harness.ts";

it("kill -9 among commits loses none that was durable and halves none", async () => {
  const harness = fileHarness();
  const script = fileURLToPath(new URL("./testing/kill-child.ts", import.meta.url));
  await killRounds({ script, place: harness.folder, harness });
  await harness.dispose();
});
