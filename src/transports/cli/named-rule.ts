/** Which crawl and which audit rule are meant by what was typed. Apart from `named.ts`: most commands need no rules. */
import { RULE_IDS } from "../../app/data/audits.ts";

/** `trawl issues title.missing` is about the last crawl: no site has the name of a rule. */
export const crawlAndRule = (
  first?: string,
  second?: string,
): { crawl: string | undefined; rule: string | undefined } =>
  second === undefined && RULE_IDS.includes(first ?? "")
    ? { crawl: undefined, rule: first }
    : { crawl: first, rule: second };
