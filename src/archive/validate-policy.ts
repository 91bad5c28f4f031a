/** `trawl archive validate-policy`: whether URLs would be archived, and the rule that decides. */
import { type Clock, systemClock } from "../kernel/clock.ts";
import { outsideCrawl } from "../kernel/product.ts";
import { RobotsKeeper } from "../politeness/robots-keeper.ts";
import { prepareBase } from "../web/url.ts";
import { robotsSettings } from "./archive-politeness.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import type { Reach } from "./fetch/archive-client.ts";
import { Fetcher } from "./fetch/fetcher.ts";
import { archiveCanonicalizer } from "./policy/canonical.ts";
import { createPolicy, PageTypes } from "./policy/policy.ts";

export interface PolicyAnswer {
  written: string;
  /** Null when it is not a URL. */
  url: string | null;
  verdict: "crawl" | "skip";
  reason: string | null;
  rule: string | null;
  page_type: string;
  /** The repo whose caps it counts towards. */
  repo: string | null;
}

export interface ValidateOptions {
  settings: ArchiveSettings;
  reach?: Reach;
  clock?: Clock;
  /** If absent, no request is made and robots.txt is ignored. */
  askRobots: boolean;
}

export async function validatePolicy(urls: readonly string[], options: ValidateOptions): Promise<PolicyAnswer[]> {
  const { settings, clock = systemClock, reach = { connectTo: [], ca: null } } = options;
  const fetcher = new Fetcher({ config: settings.config, reach, clock, random: Math.random });
  const keeper = new RobotsKeeper({
    config: robotsSettings(settings),
    client: { fetch: async (request) => (await fetcher.fetch(request)).response },
    clock,
  });
  const canonicalize = archiveCanonicalizer(settings.config.scope.allowed_query_params, settings.profile);
  const policy = createPolicy(settings);
  const types = new PageTypes(settings.profile);
  const answer = async (written: string): Promise<PolicyAnswer> => {
    const url = URL.canParse(written) ? canonicalize(written, prepareBase(written)) : null;
    if (typeof url !== "string") {
      return { written, url: null, verdict: "skip", reason: "bad_url", rule: null, page_type: "", repo: null };
    }
    let against = policy.judge(url);
    if (against === null && options.askRobots) {
      await keeper.load(url, false, outsideCrawl());
      against = keeper.judge(url);
    }
    const kind = types.numberOf(url);
    return {
      written,
      url,
      verdict: against === null ? "crawl" : "skip",
      reason: against === null ? null : against.reason === "robots_unreachable" ? "robots_disallow" : against.reason,
      rule: against?.rule ?? null,
      page_type: types.nameOf(kind),
      repo: types.repoOf(url, kind),
    };
  };
  try {
    const answers: PolicyAnswer[] = [];
    for (const url of urls) answers.push(await answer(url));
    return answers;
  } finally {
    await fetcher.destroy();
  }
}
