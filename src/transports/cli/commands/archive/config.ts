/** `trawl archive config`: the settings file, written, checked and shown. */
import { join } from "node:path";
import type { Command } from "commander";
import type { ArchiveSettings } from "../../../../app/archive/workspace.ts";
import { counted, settingLine } from "../../../texts.ts";
import { addJson, type Cli, type JsonOption, writeNewFile } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { padEnd } from "../../output/table.ts";
import { typedFolder, type WorkspaceOptions } from "./archive-options.ts";

export function addArchiveConfigCommand(parent: Command, cli: Cli): void {
  const config = parent
    .command("config")
    .helpCommand(false)
    .summary("write, check and show the settings file")
    .description("The settings of an archive: archive.yaml in its workspace, or another file with --config.");
  addInit(config, cli);
  addValidate(config, cli);
  addShow(config, cli);
}

function addInit(config: Command, { terminal }: Cli): void {
  const command = config
    .command("init")
    .summary("write a settings file to start from")
    .description("Writes a settings file with every setting, its meaning and its default.")
    .argument("[file]", "output file; - prints it", "archive.yaml")
    .option("--force", "Overwrite an existing file.");
  addJson(command);
  addExamples(command, [
    ["trawl archive config init", "writes archive.yaml"],
    ["trawl archive config init - | less", "reads it first"],
  ]);
  command.action(async (file: string, { force, json }: JsonOption & { force?: true }) => {
    const { configTemplate } = await import("../../../../app/archive/workspace.ts");
    const { GITHUB } = await import("../../../../app/archive/workspace.ts");
    const text = configTemplate({ profile: GITHUB.name, userAgent: null }, GITHUB);
    if (file === "-") {
      terminal.write(text);
      return;
    }
    writeNewFile(file, text, { force });
    if (json) terminal.json({ file });
    else terminal.lines([`Wrote ${file}. Set user_agent in it to say who you are.`]);
  });
}

function addValidate(config: Command, { terminal }: Cli): void {
  const command = config
    .command("validate")
    .summary("check a settings file")
    .description("Checks a settings file, and its profile, and lists every mistake.")
    .argument("[file]", "the file (default: archive.yaml in the workspace)");
  addWorkspaceOnly(addJson(command));
  addExamples(command, [["trawl archive config validate", "exit code 2 when something is wrong"]]);
  command.action(async (typed: string | undefined, options: WorkspaceOptions) => {
    const { file, settings } = await read(typed, options);
    const changed = (await linesOf(settings)).filter(({ isChanged }) => isChanged).map(({ name }) => name);
    if (options.json) terminal.json({ file, valid: true, changed });
    else terminal.lines([`${file} is valid; ${counted(changed.length, "setting")} changed.`]);
  });
}

function addShow(config: Command, { terminal }: Cli): void {
  const command = config
    .command("show")
    .summary("print every setting with its value")
    .description("Prints every setting with the value that a run would use: the file's, the profile's or the default.")
    .argument("[file]", "the file (default: archive.yaml in the workspace)");
  addWorkspaceOnly(addJson(command));
  addExamples(command, [
    ["trawl archive config show", "as a run would use it"],
    ["trawl archive config show archive.yaml --json | jq .caps", "for a script"],
  ]);
  command.action(async (typed: string | undefined, options: WorkspaceOptions) => {
    const { settings } = await read(typed, options);
    const { effectiveConfig } = await import("../../../../app/archive/workspace.ts");
    if (options.json) terminal.json(effectiveConfig(settings));
    else terminal.lines((await linesOf(settings)).map(({ text }) => text));
  });
}

const addWorkspaceOnly = (command: Command): Command =>
  command.option("-w, --workspace <folder>", "The archive's folder (default: this folder, or ./workspace).");

async function read(
  typed: string | undefined,
  options: WorkspaceOptions,
): Promise<{ file: string; settings: ArchiveSettings }> {
  const { readSettings } = await import("../../../../app/archive/workspace.ts");
  const { CONFIG_FILE } = await import("../../../../app/archive/workspace.ts");
  const file = typed ?? join(await typedFolder(options.workspace), CONFIG_FILE);
  return { file, settings: readSettings(file) };
}

interface ShownLine {
  name: string;
  text: string;
  isChanged: boolean;
}

/** As YAML, with the default next to each value that differs. */
async function linesOf(settings: ArchiveSettings): Promise<ShownLine[]> {
  const { defaultConfig, effectiveConfig } = await import("../../../../app/archive/workspace.ts");
  const values: Record<string, unknown> = { ...effectiveConfig(settings) };
  const defaults: Record<string, unknown> = { ...defaultConfig(settings.profile, settings.config.user_agent) };
  const line = (name: string, value: unknown, usual: unknown, indent: string): ShownLine => {
    const text = indent + settingLine(name, value);
    const isChanged = JSON.stringify(value) !== JSON.stringify(usual);
    return {
      name,
      text: isChanged ? `${padEnd(text, 40)} # default ${JSON.stringify(usual) ?? "none"}` : text,
      isChanged,
    };
  };
  return Object.entries(values).flatMap(([name, value]) => {
    if (!isSection(value)) return [line(name, value, defaults[name], "")];
    const usual = defaults[name] as Record<string, unknown>;
    return [
      { name, text: `${name}:`, isChanged: false },
      ...Object.entries(value).map(([key, inner]) => ({
        ...line(key, inner, usual[key], "  "),
        name: `${name}.${key}`,
      })),
    ];
  });
}

const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
