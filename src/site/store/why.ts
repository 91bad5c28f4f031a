/** Why a URL was crawled or not: the verdict, the rule and setting behind it, the result, and the path to it. */
import { isNoindex, parseRobotsHeader, parseRobotsMeta, type RobotsDirectives } from "../../web/robots-directives.ts";
import { SETTINGS, type SiteConfig } from "../site-config.ts";
import { fetchErrorMeaning, reasonMeaning, reasonSetting } from "../site-reasons.ts";
import { findUrl, linksOut, pathFromStart, type UrlRecord } from "./link-queries.ts";
import type { SiteReader } from "./reader.ts";
import { factsOf } from "./view.ts";

/** Loaded only when a status is printed: loading `node:http` takes longer than most commands that read a crawl. */
const statusCodes = () => process.getBuiltinModule("node:http").STATUS_CODES;

/** One step of the path: the URL, and the link on the previous page. */
export interface WhyStep {
  url: string;
  via: string;
  linkText: string | null;
}

export interface Why {
  url: string;
  verdict: string;
  state: string | null;
  reason: string | null;
  meaning: string | null;
  /** The setting, pattern or line of robots.txt that decided. */
  rule: string | null;
  /** What the page on which it was first found says about all its links, when that is the cause. */
  directive: { page: string; written: string } | null;
  /** The setting that would change it. */
  setting: { name: keyof SiteConfig; value: unknown; description: string } | null;
  /** The result of the fetch, in words. */
  outcome: string | null;
  depth: number;
  /** From a start to the URL. */
  path: WhyStep[];
}

/** `config` is that of the crawl: it has the value of the setting that decided. */
export function whyUrl(reader: SiteReader, config: SiteConfig, url: string): Why {
  const found = findUrl(reader, url);
  const { verdict, state, reason, rule, depth } = found;
  return {
    url: found.url,
    verdict,
    state,
    reason,
    meaning: reason === null ? null : reasonMeaning(reason),
    rule,
    directive: directiveBehind(reader, found, config),
    setting: settingBehind(reason, rule, config),
    outcome: outcomeOf(reader, found),
    depth,
    path: wayTo(reader, found.id),
  };
}

/** A link may be marked itself, or by what its page says about all links. */
function directiveBehind(reader: SiteReader, { reason, parent }: UrlRecord, config: SiteConfig): Why["directive"] {
  if (reason !== "nofollow" && reason !== "noindex") return null;
  const row = reader.db
    .prepare(
      `SELECT u.url AS url, p.robots_meta AS meta, p.robots_header AS header, p.fetched_at AS at
       FROM urls u JOIN pages p ON p.id = u.id WHERE u.id = ?`,
    )
    .get(parent) as { url: string; meta: string | null; header: string | null; at: number } | undefined;
  if (row === undefined) return null;
  const { url: page, meta, header, at } = row;
  const says = (directives: RobotsDirectives): boolean =>
    reason === "nofollow" ? directives.nofollow : isNoindex(directives, at);
  const agent = config.robotsAgent;
  if (meta !== null && says(parseRobotsMeta([{ name: "robots", content: meta }], agent)))
    return { page, written: `meta robots: ${meta}` };
  if (header !== null && says(parseRobotsHeader(header, agent))) return { page, written: `X-Robots-Tag: ${header}` };
  return null;
}

/** If several settings lead to a reason, the rule tells which one applied. */
function settingBehind(reason: string | null, rule: string | null, config: SiteConfig): Why["setting"] {
  const setting =
    SETTINGS.find(({ name }) => name === rule) ?? SETTINGS.find(({ name }) => name === reasonSetting(reason));
  if (setting === undefined) return null;
  const { name, description } = setting;
  return { name, value: config[name], description };
}

const WANTED = [
  ...["status", "error", "errorDetail", "contentType", "redirectTo"],
  ...["indexable", "indexability", "indexabilityEvidence"],
];

function outcomeOf(reader: SiteReader, { id, verdict, state }: UrlRecord): string | null {
  if (verdict !== "crawl") return null;
  if (state === "open") return "It is waiting to be crawled.";
  const row = factsOf(reader, id, WANTED);
  if (row["error"] !== null) {
    const answer = row["status"] === null ? "No answer" : String(row["status"]);
    return `${answer}: ${fetchErrorMeaning(String(row["error"]), row["errorDetail"])}`;
  }
  const parts = [`${row["status"]} ${statusCodes()[Number(row["status"])] ?? ""}`.trim(), row["contentType"]];
  if (row["redirectTo"] !== null) parts.push(`redirects to ${row["redirectTo"]}`);
  if (row["indexable"] === false) {
    const evidence = row["indexabilityEvidence"];
    parts.push(`not indexable: ${row["indexability"]}${evidence === null ? "" : ` (${evidence})`}`);
  }
  return parts.filter((part) => part !== null).join(", ");
}

function wayTo(reader: SiteReader, id: number): WhyStep[] {
  const way = pathFromStart(reader, id);
  return way.map(({ url, via }, index) => ({
    url,
    via,
    linkText: index === 0 || via !== "spider" ? null : linkText(reader, way[index - 1]!.id, url),
  }));
}

/** The text of the first link on a page that leads to a URL. */
function linkText(reader: SiteReader, page: number, url: string): string | null {
  for (let after: number | null = 0; after !== null; ) {
    const { rows, next } = linksOut(reader, { id: page, limit: 1_000, after });
    const link = rows.find((row) => row.url === url);
    if (link !== undefined) return link.text;
    after = next;
  }
  return null;
}
