/** Generates a repo like that of a busy account: hundreds of thousands of likes, reposts and follows, posts in several languages. */

import { type Block, buildCar, type Keys, makeKeys } from "../../src/atproto/repo/testing/build-car.ts";
import { encode } from "../../src/atproto/repo/testing/cbor.ts";
import { BENCH_DID } from "./did.ts";

const SORTABLE = "234567abcdefghijklmnopqrstuvwxyz";
const TEXTS = [
  "The tide was out and the whole bay smelled of kelp; we counted nine herons before breakfast.",
  "今日は港まで歩いて、漁船が戻ってくるのを眺めていました。風が強くて、少し寒かったです。",
  "Alguém sabe a que horas abre o mercado de peixe no domingo? 🐟",
  'ok but "sustainable" has to mean something\n\nsource: https://example.com/reports/2026/fisheries.pdf',
  "yes",
];

export interface Generated {
  car: Buffer;
  keys: Keys;
}

export function generateRepo(records: number): Generated {
  const random = generator(20_261_116);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const letters = (count: number) => Array.from({ length: count }, () => SORTABLE[Math.floor(random() * 32)]).join("");
  const cid = () => Buffer.from([1, 0x71, 0x12, 0x20, ...Array.from({ length: 32 }, () => Math.floor(random() * 256))]);
  const link = () => `${"bafyrei"}${letters(52)}`;
  let micros = 1_690_000_000_000_000;
  const all = new Map<string, Buffer>();
  const subject = () => ({ cid: link(), uri: `at://did:plc:${letters(24)}/app.bsky.feed.post/3l${letters(11)}` });
  while (all.size < records) {
    micros += Math.floor(random() * 200_000_000);
    const createdAt = new Date(micros / 1_000).toISOString();
    const kind = random();
    const collection =
      kind < 0.62
        ? "app.bsky.feed.like"
        : kind < 0.74
          ? "app.bsky.feed.repost"
          : kind < 0.8
            ? "app.bsky.graph.follow"
            : "app.bsky.feed.post";
    const record: Record<string, unknown> = { $type: collection, createdAt };
    if (collection === "app.bsky.graph.follow") record["subject"] = `did:plc:${letters(24)}`;
    else if (collection !== "app.bsky.feed.post") record["subject"] = subject();
    else {
      record["text"] = pick(TEXTS);
      record["langs"] = [pick(["en", "ja", "pt"])];
      if (random() < 0.5) record["reply"] = { root: subject(), parent: subject() };
      if (random() < 0.2) {
        record["facets"] = [
          {
            index: { byteEnd: 61, byteStart: 23 },
            features: [
              { $type: "app.bsky.richtext.facet#link", uri: "https://example.com/reports/2026/fisheries.pdf" },
            ],
          },
        ];
      }
      if (random() < 0.25) {
        const image = {
          $type: "blob",
          ref: { $link: cid() },
          mimeType: "image/jpeg",
          size: Math.floor(random() * 976_000),
        };
        const images = [{ alt: pick(TEXTS), image, aspectRatio: { width: 1_500, height: 2_000 } }];
        record["embed"] = { $type: "app.bsky.embed.images", images };
      }
    }
    all.set(`${collection}/${tid(micros)}`, encode(record));
  }
  const keys = makeKeys("secp256k1");
  // In the order in which the PDS exports them (packages/pds, getCarStream): newest revision first, then by CID.
  const arrange = (blocks: Block[]) =>
    blocks.sort((one, other) =>
      one.newest === other.newest ? Buffer.compare(other.cid, one.cid) : one.newest < other.newest ? 1 : -1,
    );
  return { car: buildCar(all, { did: BENCH_DID, keys, arrange }), keys };
}

function tid(micros: number): string {
  let rest = BigInt(micros) << 10n;
  let text = "";
  for (let place = 0; place < 13; place++, rest >>= 5n) text = SORTABLE[Number(rest & 31n)] + text;
  return text;
}

/** Numbers that are the same in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
