/** Asks services that the user has a key for about the pages of a crawl, and stores their answers as facts. */
import { TrawlError } from "../../errors.ts";
import { type Clock, sleep } from "../../kernel/clock.ts";
import { TrustedHosts } from "../../net/connection/address-guard.ts";
import { hostAndPort } from "../../net/origin.ts";
import { askCrux, CRUX_PAUSE_MS, CRUX_URL } from "../../site/field-data/crux.ts";
import { FieldStore } from "../../site/field-data/field-store.ts";
import { askSearchConsole, SEARCH_CONSOLE_URL } from "../../site/field-data/search-console.ts";
import type { Ask } from "../../site/field-data/service.ts";
import type { AuditQuestion } from "../operations/issues.ts";
import { serviceClient } from "../service-client.ts";

/** Where the services are; in tests, on this machine. */
export interface FieldServices {
  crux: string;
  searchConsole: string;
  pauseMs: number;
}

const GOOGLE: FieldServices = { crux: CRUX_URL, searchConsole: SEARCH_CONSOLE_URL, pauseMs: CRUX_PAUSE_MS };

type FieldQuestion = Pick<AuditQuestion, "crux" | "searchConsole">;

/** Tens of thousands of rows of Search Console. */
const MAX_ANSWER_BYTES = 50_000_000;
const TIMEOUT_MS = 60_000;

/** Nothing else may write to the database meanwhile. */
export async function askForFieldData(
  database: string,
  { crux, searchConsole }: FieldQuestion,
  { services: given, clock }: { services: FieldServices | null; clock: Clock },
): Promise<void> {
  const services = given ?? GOOGLE;
  const store = new FieldStore(database);
  const client = await serviceClient({
    trusted: trustedOf(services),
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
  const ask: Ask = async ({ url, headers, body }) => {
    const request = { url, method: "POST", body: JSON.stringify(body) } as const;
    const answer = await client
      .fetch({ ...request, headers: { ...headers, "content-type": "application/json" } })
      .catch((error: Error) => {
        throw new TrawlError("SERVICE_REFUSED", `${new URL(url).host} did not answer: ${error.message}`);
      });
    return { status: answer.status, body: answer.body.toString("utf8") };
  };
  try {
    if (crux !== null) {
      await store.replace(["lcp", "inp", "cls"], async () => {
        for (const [place, page] of store.pages(crux.pages).entries()) {
          if (place > 0) await sleep(clock, services.pauseMs, undefined);
          const vitals = await askCrux(ask, page, { url: services.crux, key: crux.key });
          if (vitals !== null) store.put(page, vitals);
        }
      });
    }
    if (searchConsole !== null) {
      const access = { url: services.searchConsole, ...searchConsole };
      await store.replace(["clicks", "impressions", "search_position"], async () => {
        for await (const rows of askSearchConsole(ask, access, clock.now())) {
          for (const [page, figures] of rows) store.put(page, figures);
        }
      });
    }
  } finally {
    store.close();
    await client.destroy();
  }
}

/** Google's addresses are public; any others were named by the owner of this machine. */
const trustedOf = (services: FieldServices): TrustedHosts =>
  new TrustedHosts(services === GOOGLE ? [] : [hostAndPort(services.crux), hostAndPort(services.searchConsole)]);
