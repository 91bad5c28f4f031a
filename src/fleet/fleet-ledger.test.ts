/** The ledger in PostgreSQL keeps every promise of a ledger, also when the server is stopped as by a power cut. */
import { after, describe } from "node:test";
import { ledgerConformance } from "../kernel/testing/conformance.ts";
import { fleetHarness } from "./testing/ledger-harness.ts";
import { NO_POSTGRES, TestPostgres } from "./testing/postgres-server.ts";

const postgres = await TestPostgres.start();
after(() => postgres?.stop());

describe("with PostgreSQL", { skip: postgres === null && NO_POSTGRES }, () => {
  ledgerConformance("FleetLedger", () => fleetHarness(postgres!.url, () => postgres!.crash()));
});
