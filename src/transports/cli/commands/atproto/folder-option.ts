/** `--input-dir`: which archive a command reads, and how damage in it is reported. */
import { type Command, Option } from "commander";
import type { Damage } from "../../../../app/atproto/segments.ts";
import { clean } from "../../../texts.ts";
import type { Cli, JsonOption } from "../../cli.ts";

/** Where `crawl` writes by default, and where the others look. */
export const USUAL_FOLDER = "rca";

export interface InputOptions extends JsonOption {
  inputDir: string;
}

export const addInputDir = (command: Command): Command =>
  command.addOption(
    // The second is for the help: without quotes, as in that of `crawl`.
    new Option("-i, --input-dir <folder>", "The archive: a folder with .rca segments.").default(
      USUAL_FOLDER,
      USUAL_FOLDER,
    ),
  );

/** Values separated by commas, the option given once or more. */
export const readNames = (value: string, before: string[] = []): string[] => [
  ...before,
  ...value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
];

/** Damage is reported beside the results, each place once. */
export class DamageTeller {
  /** Damage that a crash or a writer at work does not explain. */
  count = 0;
  torn = 0;
  readonly #reported = new Set<string>();
  readonly #cli: Cli;
  readonly #json: boolean;

  constructor(cli: Cli, { json }: JsonOption) {
    this.#cli = cli;
    this.#json = json === true;
  }

  readonly tell = (damage: Damage): void => {
    const { path, offset, torn } = damage;
    const place = `${path} ${offset} ${damage.did}`;
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    if (torn) this.torn++;
    else this.count++;
    const { terminal } = this.#cli;
    if (this.#json) terminal.note(JSON.stringify({ event: "damage", ...damage }));
    else terminal.note(damageLine(damage, terminal.errorStyle));
  };
}

export function damageLine(
  { path, offset, did, reason, torn }: Damage,
  { bad, dim }: { bad: (text: string) => string; dim: (text: string) => string },
): string {
  const whose = did === null ? "" : ` (${clean(did)})`;
  return `${torn ? dim("unfinished") : bad("damaged")}  ${path} at byte ${offset}${whose}: ${clean(reason)}`;
}
