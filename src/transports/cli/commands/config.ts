/** `trawl config`: the settings file, written, checked and shown. */
import type { Command } from "commander";
import { crawlSettings } from "../../../app/config/setting-checks.ts";
import { counted, settingLine } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, writeNewFile } from "../cli.ts";
import { CONFIG_FILE, checkConfig, configTemplate, readConfigFile } from "../config-file.ts";
import { addExamples } from "../help.ts";
import { padEnd } from "../output/table.ts";

export function addConfigCommand(program: Command, cli: Cli): void {
  const config = program
    .command("config")
    .helpCommand(false)
    .description("Keeps the settings of a crawl in a file, to use them again: `trawl crawl <url> --config <file>`.");
  addInit(config, cli);
  addValidate(config, cli);
  addShow(config, cli);
}

function addInit(config: Command, { terminal }: Cli): void {
  const command = config
    .command("init")
    .summary("write a settings file to start from")
    .description("Writes a settings file with every setting, its meaning and its default, all commented out.")
    .argument("[file]", "output file; - prints it", CONFIG_FILE)
    .option("--force", "Overwrite an existing file.");
  addJson(command);
  addExamples(command, [
    ["trawl config init", `writes ${CONFIG_FILE}`],
    ["trawl config init - | less", "reads it first"],
  ]);
  command.action((file: string, { force, json }: JsonOption & { force?: true }) => {
    if (file === "-") {
      terminal.write(configTemplate());
      return;
    }
    writeNewFile(file, configTemplate(), { force });
    if (json) terminal.json({ file });
    else terminal.lines([`Wrote ${file}. Use it with: trawl crawl <url> --config ${file}`]);
  });
}

function addValidate(config: Command, { terminal }: Cli): void {
  const command = config
    .command("validate")
    .summary("check a settings file")
    .description("Checks a settings file and lists every mistake.")
    .argument("[file]", "the file", CONFIG_FILE);
  addJson(command);
  addExamples(command, [["trawl config validate shop.yaml", "exit code 2 when something is wrong"]]);
  command.action(async (file: string, { json }: JsonOption) => {
    const { changed } = checkConfig(await readConfigFile(file), file);
    if (json) terminal.json({ file, valid: true, changed });
    else terminal.lines([`${file} is valid; ${counted(changed.length, "setting")} changed.`]);
  });
}

function addShow(config: Command, { terminal }: Cli): void {
  const command = config
    .command("show")
    .summary("print every setting with its value")
    .description("Prints every setting with the value that a crawl would use: the file's, or the default.")
    .argument("[file]", "a settings file; without it, the defaults");
  addJson(command);
  addExamples(command, [
    ["trawl config show", "the defaults"],
    ["trawl config show shop.yaml --json", "what a crawl with this file would use"],
  ]);
  command.action(async (file: string | undefined, { json }: JsonOption) => {
    const check = file === undefined ? checkConfig({}, null) : checkConfig(await readConfigFile(file), file);
    if (json) terminal.json(check.settings);
    else terminal.lines(settingLines(check));
  });
}

/** As YAML, with the default next to each value that differs. */
function settingLines({ settings, changed }: ReturnType<typeof checkConfig>): string[] {
  return [...Map.groupBy(crawlSettings(), ({ group }) => group)].flatMap(([group, members], index) => [
    ...(index === 0 ? [] : [""]),
    `# ${group}`,
    ...members.map(({ name, defaultValue }) => {
      const line = settingLine(name, settings[name]);
      return changed.includes(name) ? `${padEnd(line, 40)} # default ${JSON.stringify(defaultValue)}` : line;
    }),
  ]);
}
