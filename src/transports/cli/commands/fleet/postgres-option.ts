/** The option that every fleet command has: where the database is. */
import type { Command } from "commander";
import { hasPassword } from "../../../../app/fleet/address.ts";
import { TrawlError } from "../../../../errors.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";

export interface FleetOption extends JsonOption {
  postgres?: string;
}

export function addFleetOptions(command: Command): Command {
  command.option(
    "--postgres <url[,url]>",
    "The fleet's database, and after a comma its standby: the first one that accepts writes is used. (default: TRAWL_POSTGRES)",
  );
  return addJson(command);
}

export function postgresOf({ postgres }: FleetOption, { env }: Cli): string {
  const url = postgres ?? env["TRAWL_POSTGRES"];
  if (postgres !== undefined && hasPassword(postgres)) {
    throw new TrawlError("BAD_USAGE", "Every user of this machine can read a password in --postgres with `ps`.", {
      hint: "Put it into PGPASSWORD or ~/.pgpass, or the whole address into TRAWL_POSTGRES.",
    });
  }
  if (url !== undefined && url !== "") return url;
  throw new TrawlError("BAD_USAGE", "A fleet needs a PostgreSQL.", {
    hint: "Pass --postgres postgres://user@host/database, or set TRAWL_POSTGRES.",
  });
}
