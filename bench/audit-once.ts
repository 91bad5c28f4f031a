/** Audits the crawl in a database, as the process that ends a crawl does. */
import { DEFAULT_AUDIT } from "../src/site/audit/audit-settings.ts";
import { runAudit } from "../src/site/audit/run-audit.ts";

runAudit(process.argv[2]!, { settings: DEFAULT_AUDIT, now: Date.now(), previous: null });
