/** Operations about Trawl itself. */
import { z } from "zod";
import { INSTALLED_BY } from "../installation.ts";
import { operation } from "./operation.ts";

export const getHealth = operation({
  name: "getHealth",
  kind: "read",
  summary: "Whether the server is working",
  input: z.object({}),
  output: z.object({ status: z.literal("ok") }),
  run: () => ({ status: "ok" as const }),
});

export const getVersion = operation({
  name: "getVersion",
  kind: "read",
  summary: "The version of Trawl",
  input: z.object({}),
  output: z.object({ version: z.string() }),
  run: (app) => ({ version: app.version }),
});

const updateInfo = z.object({
  current: z.string(),
  latest: z.string().nullable().meta({ description: "null when the check was not possible." }),
  isNewer: z.boolean(),
  isOff: z.boolean().meta({ description: "The check is turned off by a flag." }),
  problem: z.string().nullable(),
  installedBy: z.enum(INSTALLED_BY).meta({ description: "How this Trawl was installed." }),
  command: z.string().nullable().meta({ description: "The command that updates it; null if unknown." }),
  canInstall: z.boolean().meta({ description: "Whether npm can update this installation in place." }),
});
export type UpdateInfo = z.output<typeof updateInfo>;

export const checkForUpdate = operation({
  name: "checkForUpdate",
  kind: "read",
  summary: "Whether the package registry has a newer version",
  input: z.object({}),
  output: updateInfo,
  run: (app) => app.updates.check(),
});

export const installUpdate = operation({
  name: "installUpdate",
  kind: "change",
  summary: "Have npm install the newest version instead of this one; it is used after a restart",
  errors: ["BAD_USAGE", "UPDATE_FAILED"],
  input: z.object({}),
  output: z.object({ updatedTo: z.string() }),
  run: async (app) => ({ updatedTo: await app.updates.install() }),
});
