/** `trawl config`: the settings file, written, checked and shown; and settings saved for a site. */
import type { Command } from "commander";
import { crawlSettings } from "../../../app/config/setting-checks.ts";
import { getConfig, updateConfig } from "../../../app/operations/config.ts";
import { ask } from "../../../app/operations/operation.ts";
import { clean, counted, settingLine } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp, writeNewFile } from "../cli.ts";
import { CONFIG_FILE, checkConfig, configTemplate, readConfigFile } from "../config-file.ts";
import { addSettings, type CrawlOptionValues, givenSettings } from "../crawl-options.ts";
import { addExamples } from "../help.ts";
import { padEnd } from "../output/table.ts";

export function addConfigCommand(program: Command, cli: Cli): void {
  const config = program
    .command("config")
    .helpCommand(false)
    .description(
      "Keeps the settings of a crawl in a file, to use them again: `trawl crawl <url> --config <file>`. Or saves them for a site.",
    );
  addInit(config, cli);
  addValidate(config, cli);
  addShow(config, cli);
  addSave(config, cli);
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
      if (json) terminal.json(checkConfig({}, null).settings);
      else terminal.write(configTemplate());
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

function addSave(config: Command, cli: Cli): void {
  const { terminal } = cli;
  const command = config
    .command("save")
    .summary("save settings for all crawls of a site")
    .description(
      "Saves settings that every crawl of a site starts with, also those started in the web app, by the API, by agents and by " +
        "schedules. Settings that affect this machine, such as --browser and --proxy, can be set for those only here. What is left " +
        'out stays as it was; "" clears a text.',
    )
    .argument("<url>", "a URL of the site")
    .option("--config <file>", "Settings file. Flags override it.");
  addJson(command);
  addSettings(command, "config save");
  addExamples(command, [
    ["trawl config save intranet.example --allow-private --ca company.pem", "for a site in your own network"],
    ['trawl config save example.com --proxy ""', "removes the proxy"],
  ]);
  command.action(async (url: string, values: CrawlOptionValues) => {
    const given = await givenSettings(values);
    const { domain, changed } = await withApp(cli, async (app) => {
      const saved = await ask(app, getConfig, { url });
      const headers = given.headers && { headers: { ...(saved.settings["headers"] as object), ...given.headers } };
      return ask(app, updateConfig, { url, settings: { ...given, ...headers } });
    });
    if (values.json) terminal.json({ domain, changed });
    else terminal.lines([`Saved for ${clean(domain)}: ${changed.length === 0 ? "the defaults" : changed.join(", ")}.`]);
  });
}
