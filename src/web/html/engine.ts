/**
 * The engine that reads HTML: AssemblyScript (`engine/`), compiled to WebAssembly (`engine-binary.ts`), and what it
 * calls in TypeScript. It is nearly as fast on the first page as on the last, whereas JavaScript has to warm up in
 * every thread.
 */

import { HiddenNames, isOnScreen } from "../css-hidden.ts";
import { ATTRIBUTE_NAMES, Attributes, type ReportAttribute } from "./attributes.ts";
import { ELEMENTS, lowerName, roleLandmark, TAGS, type Tag, TRAITS, tagLandmark } from "./elements.ts";
import { ENGINE_BINARY } from "./engine-binary.ts";
import { decodeText, HtmlSource } from "./html-source.ts";
import { STYLE } from "./name-ids.ts";
import type { LinkWriter, PageReader } from "./read-html.ts";
import type { HtmlVisitor } from "./scan-html.ts";

/** The part we need; Node's types do not include it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { host: object }) => { exports: EngineExports };
};

/** A variable of the engine. */
interface Global {
  readonly value: number;
}

/** What `engine/index.ts` exports; numbers are addresses unless they say otherwise. */
export interface EngineExports {
  memory: { readonly buffer: ArrayBuffer };
  defineTag(tag: number, nameBytes: number, bits: number, traits: number, landmark: number): void;
  defineAttribute(nameBytes: number): void;
  placePage(bytes: number): number;
  limitAttributes(bytes: number): void;
  limitLinks(links: number, text: number, context: number): void;
  readAsXml(isXml: boolean): void;
  scan(visit: boolean): void;
  read(depth: number, wantsOtherText: boolean): void;
  /** 1 until any of the body has been read. */
  inHead: Global;
  shape: Global;
  bookmarks: Global;
  bookmarkCount: Global;

  attributes: Global;
  reportAttributes(): void;
  nameStart: Global;
  nameEnd: Global;

  depth: Global;
  clearStack(): void;
  flags(): number;
  position(): number;
  flagsInside(tag: number, around: number): number;
  positionInside(tag: number, parent: number, parentFlags: number): number;
  push(tag: number, flags: number, position: number): void;
  truncate(level: number): void;
  remove(level: number): void;
  levelClosedBy(tag: number): number;
  openParagraph(): number;
  openItem(bits: number): number;
  openAnchor(): number;
  hasSpecialAbove(level: number): number;
  isFormatting(level: number): number;

  addLink(href: number, type: number, rel: number): number;
  anchor: Global;
  describeByAlt(link: number, altStart: number, altEnd: number): void;
  describeLinks(): void;
  rows: Global;
  linkCount: Global;
  linksLeftOut: Global;
  paths: Global;
  pathsBytes: Global;

  clearHiddenNames(): void;
  hideName(bytes: number): void;
  scratch(bytes: number): number;
  roomForAlts(bytes: number): number;
  visible: Global;
  visibleBytes: Global;
  visibleLength(): number;
  words: Global;
  turns: Global;
  turnCount: Global;
  headings: Global;
}

/**
 * An engine with more memory than this is kept only for the next large page, and only until the next garbage
 * collection.
 */
const SPARE_BYTES = 16 << 20;
/**
 * Only the beginning of a larger page is read. A page takes up to five times its size, and addresses end at eight times
 * this.
 */
const MOST_BYTES = 1 << 28;

/** Far more than is written into a page. */
const MOST_STYLE_BYTES = 1 << 21;

let compiled: object | null = null;
/** Idle engines: one, unless a visitor reads another page while it visits one. */
const spare: Engine[] = [];
/** Without this, each large page would allocate new memory before the last page's memory is collected. */
let large: WeakRef<Engine> | null = null;

/**
 * Calls `use` with an engine that holds the page. The engine and everything it reports are valid only during the call.
 */
export function withEngine<T>(source: HtmlSource, mostAttributeBytes: number, use: (engine: Engine) => T): T {
  const engine = takeEngine(source.bytes.length);
  engine.begin(source, mostAttributeBytes);
  try {
    return use(engine);
  } finally {
    engine.end();
    if (engine.exports.memory.buffer.byteLength <= SPARE_BYTES) spare.push(engine);
    else large = new WeakRef(engine);
  }
}

function takeEngine(bytes: number): Engine {
  if (bytes <= SPARE_BYTES / 4) return spare.pop() ?? new Engine();
  const engine = large?.deref();
  large = null;
  return engine ?? new Engine();
}

const NOTHING = new HtmlSource("");

export class Engine {
  readonly exports: EngineExports;
  source!: HtmlSource;
  attributes!: Attributes;
  #visitor!: HtmlVisitor;
  #reader!: PageReader;
  #links!: LinkWriter;
  #hidden = new HiddenNames();
  #report: ReportAttribute = () => {};
  #bytes = Buffer.alloc(0);
  #numbers = new Int32Array(0);
  readonly #attributesAt: number;

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(ENGINE_BINARY, "base64"));
    const instance = new WebAssembly.Instance(compiled, { host: this.#host() });
    this.exports = instance.exports;
    this.#attributesAt = this.exports.attributes.value >> 2;
    for (const { id, name } of TAGS) {
      this.#place(Buffer.from(name));
      this.exports.defineTag(id, name.length, ELEMENTS[id]!, TRAITS[id]!, tagLandmark(name));
    }
    for (const name of ATTRIBUTE_NAMES) {
      this.#place(Buffer.from(name));
      this.exports.defineAttribute(name.length);
    }
  }

  begin(source: HtmlSource, mostAttributeBytes: number): void {
    this.source = source;
    this.attributes = new Attributes(this, mostAttributeBytes);
    this.exports.limitAttributes(mostAttributeBytes);
    this.exports.readAsXml(source.isXml);
    this.#place(source.bytes.subarray(0, MOST_BYTES));
  }

  /** An idle engine does not keep its last page in memory. */
  end(): void {
    this.source = NOTHING;
  }

  scan(visitor: HtmlVisitor): void {
    this.#visitor = visitor;
    this.exports.scan(true);
  }

  read(reader: PageReader, links: LinkWriter, depth: number): void {
    this.#reader = reader;
    this.#links = links;
    this.#hidden = new HiddenNames();
    this.exports.read(depth, reader.other !== null);
  }

  /** Its memory, as bytes and as numbers. Do not keep it: growing replaces the buffer. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#lookAgain();
    return this.#bytes;
  }

  get numbers(): Int32Array {
    if (this.#numbers.length === 0) this.#lookAgain();
    return this.#numbers;
  }

  attributeNumber(index: number): number {
    return this.numbers[this.#attributesAt + index]!;
  }

  reportAttributes(report: ReportAttribute): void {
    this.#report = report;
    this.exports.reportAttributes();
  }

  /** After the memory grows, the old views are empty. Checking a view costs a tenth of asking for the buffer. */
  #lookAgain(): void {
    const { buffer } = this.exports.memory;
    this.#bytes = Buffer.from(buffer);
    this.#numbers = new Int32Array(buffer);
  }

  #place(page: Buffer): void {
    const address = this.exports.placePage(page.length);
    page.copy(this.bytes, address);
  }

  /** The current tag. Unknown names are not kept, because a site could fill our memory with invented elements. */
  #tag(id: number): Tag {
    if (id !== 0) return TAGS[id]!;
    const { nameStart, nameEnd } = this.exports;
    return { id, name: lowerName(this.source.text(nameStart.value, nameEnd.value)) };
  }

  /** From here on, elements that one of the page's style sheets hides are not counted. */
  #hideAsIn(css: string): void {
    this.#hidden.add(css);
    this.exports.clearHiddenNames();
    for (const selector of this.#hidden.selectors) {
      const name = Buffer.from(selector);
      name.copy(this.bytes, this.exports.scratch(name.length));
      this.exports.hideName(name.length);
    }
  }

  /** What `engine/host.ts` declares. */
  #host(): object {
    return {
      open: (tag: number, empty: number) => this.#visitor.open(this.#tag(tag), this.attributes, empty !== 0),
      close: (tag: number) => this.#visitor.close(this.#tag(tag)),
      text: (start: number, end: number, references: number) =>
        this.#visitor.text(this.source, start, end, references !== 0),
      comment: (start: number, end: number) => this.#visitor.comment?.(this.source, start, end),
      attribute: (nameStart: number, nameEnd: number, start: number, end: number, needsDecoding: number) =>
        this.#report(nameStart, nameEnd, start, end, needsDecoding !== 0),
      element: (tag: number) => this.#reader.element(this.#tag(tag), this.attributes),
      noted: (tag: number) => this.#reader.noted(this.#tag(tag), this.attributes),
      emptyButton: () => this.#reader.emptyButton(),
      style: () => this.#reader.style(this.attributes.get("style") ?? ""),
      silentText: (tag: number, start: number, end: number, references: number) => {
        // The style's own tag was the last tag read.
        if (tag === STYLE && isOnScreen(this.attributes.get("media")))
          this.#hideAsIn(this.source.text(start, Math.min(end, start + MOST_STYLE_BYTES)));
        this.#reader.silentText(TAGS[tag]!, this.source, start, end, references !== 0);
      },
      otherText: (start: number, end: number, references: number, position: number) =>
        this.#reader.other!.text(this.source, start, end, references !== 0, position),
      otherComment: (start: number, end: number) => this.#reader.other!.comment(this.source, start, end),
      otherBreak: () => this.#reader.other!.breakWord(),
      linkFlags: () => this.#reader.linkFlags(this.attributes.get("rel") ?? ""),
      roleLandmark: () => roleLandmark(this.attributes.get("role") ?? ""),
      anchorHref: () => {
        const href = this.#reader.anchorHref(this.attributes);
        return href === null ? -1 : this.#links.keepHref(href);
      },
      decode: (start: number, end: number) => {
        const decoded = Buffer.from(decodeText(this.source.text(start, end)));
        const address = this.exports.scratch(decoded.length);
        return decoded.copy(this.bytes, address);
      },
    };
  }
}
