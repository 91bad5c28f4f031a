/** What is printed before the first request: who is asking which host, under which rules, and what to read first. */
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { clean } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { table } from "../../output/table.ts";

export function printBanner({ terminal }: Cli, { root, settings }: Workspace, json: boolean): void {
  const { config, hosts, profile } = settings;
  if (json) {
    terminal.json({
      event: "start",
      workspace: root,
      profile: profile.name,
      hosts,
      userAgent: config.user_agent,
      links: profile.links,
    });
    return;
  }
  const { bold, dim } = terminal.style;
  const { req_per_sec: rate, per_host_concurrency: atOnce } = config.limits;
  const rows: [string, string][] = [
    ["user agent", config.user_agent],
    ...profile.links.map(({ name, url }): [string, string] => [name, url]),
    ["politeness", `${rate} requests a second and ${atOnce} at once, at most`],
  ];
  terminal.lines([
    `${bold("Archive")} of ${clean(hosts.join(", "))} in ${root}`,
    ...table({
      columns: [{ title: "" }, { title: "" }],
      rows: rows.map(([name, value]) => [{ text: clean(name), style: dim }, clean(value)]),
      width: Number.POSITIVE_INFINITY,
      indent: 2,
    }),
    "",
  ]);
}
