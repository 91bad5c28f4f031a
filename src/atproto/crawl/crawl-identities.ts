/** Identities as a crawl uses them: the export that is read first, lookups in the turn of their hosts, and claims. */

import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import type { CrawlContext } from "../../kernel/product.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { IDENTITY_FOLDER } from "../folder-files.ts";
import { Claims } from "../identity/claims.ts";
import { DidResolver } from "../identity/did.ts";
import { Identities, type Identity } from "../identity/identities.ts";
import type { IdentityTable } from "../identity/identity-table.ts";
import type { DidPage } from "../sources/did-page.ts";
import { importPlc } from "../sources/plc-source.ts";
import type { SourceClient, SourceClientOptions } from "../sources/source-client.ts";
import { importNotice } from "./crawl-sources.ts";

export interface CrawlIdentitiesOptions {
  config: AtprotoConfig;
  clock: Clock;
  clientOf: (context: CrawlContext, more?: Partial<SourceClientOptions>) => SourceClient;
  onNotice: (text: string) => void;
}

const HOUR_MS = 60 * 60_000;
/** For the document of a did:web, waiting for its host's turn included. */
const WEB_PATIENCE_MS = 20_000;

export class CrawlIdentities {
  readonly #options: CrawlIdentitiesOptions;
  readonly #identities: Identities;
  /** The import that `--identities` asks for, when it has begun. */
  #imported: Promise<void> | null = null;

  constructor(options: CrawlIdentitiesOptions) {
    const { config, clock } = options;
    this.#options = options;
    this.#identities = new Identities({
      folder: join(config.outputDir, IDENTITY_FOLDER),
      maxAgeMs: config.identityMaxAge * HOUR_MS,
      now: () => clock.now(),
    });
  }

  get table(): IdentityTable {
    return this.#identities.table;
  }

  find(did: string): Identity | null {
    return this.#identities.find(did);
  }

  lookUp(did: string, context: CrawlContext): Promise<Identity> {
    return this.#identities.lookUp(did, this.#resolver(context));
  }

  /** Checks the pages of a source against the documents, once the export that `--identities` names has been read. */
  checker(context: CrawlContext): (pages: AsyncIterable<DidPage>) => AsyncIterable<DidPage> {
    const { config, clock, onNotice } = this.#options;
    const resolver = this.#resolver(context);
    const claims = new Claims({
      identities: this.#identities,
      lookUp: (did) => this.#identities.lookUp(did, resolver),
      allowPrivate: config.allowPrivate,
      trusts: config.trustSources,
      now: () => clock.now(),
      onManyLookups: () => {
        if (config.identities !== null) return;
        onNotice(
          `DIDs are looked up one by one, ${config.plcRps} per second. For a large crawl, --identities loads a PLC export first.`,
        );
      },
    });
    return (pages) => claims.check(this.#afterImport(pages, context));
  }

  close(): void {
    this.#identities.close();
  }

  async *#afterImport(pages: AsyncIterable<DidPage>, context: CrawlContext): AsyncGenerator<DidPage> {
    const { config, clientOf, onNotice } = this.#options;
    const { identities: from } = config;
    if (from !== null) {
      const onImport = importNotice(from, onNotice);
      const client = clientOf(context);
      this.#imported ??= importPlc({ from, table: this.table, client, signal: context.signal, onImport });
      await this.#imported;
    }
    yield* pages;
  }

  #resolver(context: CrawlContext): DidResolver {
    const { config, clientOf } = this.#options;
    return new DidResolver({
      client: clientOf(context),
      webClient: clientOf(context, { attempts: 2, patienceMs: WEB_PATIENCE_MS }),
      plcUrl: config.plcUrl.replace(/\/+$/, ""),
    });
  }
}
