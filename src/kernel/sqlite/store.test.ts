import { ledgerProperties } from "../testing/ledger-model.ts";
import { directHarness } from "../testing/sqlite-harness.ts";

ledgerProperties("SqliteStore", directHarness, 30);
