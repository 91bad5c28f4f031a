/** Writes one record, DAG-CBOR, as JSON: straight from bytes to bytes, in the plain form or in the AT Protocol's. */
import {
  ARRAY,
  BYTES,
  CborProblem,
  type CborReader,
  MAP,
  NEGATIVE,
  SIMPLE,
  TAG,
  TEXT,
  UNSIGNED,
  WIDE,
} from "./cbor-reader.ts";
import type { JsonBuffer } from "./json-buffer.ts";
import { KeyOrder } from "./key-order.ts";
import type { JsonForm } from "./parsed-repo.ts";
import { DEEPEST_RECORD } from "./parsed-repo.ts";

const NULL = Buffer.from("null");
const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const LINK_OPEN = Buffer.from('{"$link":"b');
const BYTES_OPEN = Buffer.from('{"$bytes":"');
const TEXT_OBJECT_CLOSE = Buffer.from('"}');
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACE = 0x7b;
const LINK_TAG = 42;
/** A zero, then a CID: version, codec, hash and length at least. */
const SHORTEST_LINK_BYTES = 5;

export class RecordJson {
  readonly #reader: CborReader;
  readonly #json: JsonBuffer;
  readonly #lossless: boolean;
  readonly #keys: KeyOrder;

  constructor(reader: CborReader, json: JsonBuffer, form: JsonForm) {
    this.#reader = reader;
    this.#json = json;
    this.#lossless = form === "lossless";
    this.#keys = new KeyOrder(reader.bytes);
  }

  /** Throws a `CborProblem` when this is not a record; the caller then discards what was written of it. */
  write(start: number, end: number): void {
    const reader = this.#reader;
    reader.enter(start, end);
    reader.head();
    if (reader.major !== MAP) throw new CborProblem("is not a map");
    try {
      this.#map(1);
      reader.expectEnd();
    } catch (problem) {
      this.#keys.reset();
      throw problem;
    }
  }

  #value(depth: number): void {
    const reader = this.#reader;
    const json = this.#json;
    // Most values are short texts; longer ones are handled like everything else.
    const short = reader.shortText();
    if (short >= 0) {
      json.text(reader.bytes, reader.view, reader.at, short);
      reader.at += short;
      return;
    }
    reader.head();
    switch (reader.major) {
      case TEXT: {
        const length = reader.length();
        json.text(reader.bytes, reader.view, reader.at, length);
        reader.at += length;
        return;
      }
      case MAP:
        this.#map(depth + 1);
        return;
      case ARRAY:
        this.#array(depth + 1);
        return;
      case UNSIGNED:
        if (reader.value === WIDE) json.ascii(String(reader.wide()));
        else json.integer(reader.value);
        return;
      case NEGATIVE:
        this.#negative();
        return;
      case TAG:
        this.#link();
        return;
      case BYTES:
        this.#bytes();
        return;
      case SIMPLE:
        this.#simple();
        return;
    }
  }

  #map(depth: number): void {
    if (depth > DEEPEST_RECORD) throw new CborProblem(`is nested deeper than ${DEEPEST_RECORD}`);
    const reader = this.#reader;
    const json = this.#json;
    const { bytes } = reader;
    const keys = this.#keys;
    const outer = keys.open();
    let before = BRACE;
    for (let left = reader.length(); left > 0; left--) {
      let length = reader.shortText();
      if (length < 0) {
        reader.head();
        if (reader.major !== TEXT) throw new CborProblem("has a key that is not text");
        length = reader.length();
      }
      const start = reader.at;
      if (!keys.add(start, length)) throw new CborProblem("has a key twice");
      reader.at = start + length;
      if (
        !this.#lossless &&
        length === 3 &&
        bytes[start] === 0x63 &&
        bytes[start + 1] === 0x69 &&
        bytes[start + 2] === 0x64
      ) {
        this.#drop(depth);
        continue;
      }
      json.key(before, bytes, reader.view, start, length);
      before = COMMA;
      this.#value(depth);
    }
    if (before === BRACE) json.byte(BRACE);
    json.byte(0x7d);
    keys.close(outer);
  }

  /** Skips a value that is not wanted. A text is never invalid; anything else is written and discarded, to check it. */
  #drop(depth: number): void {
    const short = this.#reader.shortText();
    if (short >= 0) {
      this.#reader.at += short;
      return;
    }
    const before = this.#json.at;
    this.#value(depth);
    this.#json.at = before;
  }

  #array(depth: number): void {
    if (depth > DEEPEST_RECORD) throw new CborProblem(`is nested deeper than ${DEEPEST_RECORD}`);
    const json = this.#json;
    json.byte(0x5b);
    for (let index = 0, length = this.#reader.length(); index < length; index++) {
      if (index > 0) json.byte(COMMA);
      this.#value(depth);
    }
    json.byte(0x5d);
  }

  #negative(): void {
    const reader = this.#reader;
    this.#json.minus();
    // -1 - n; the largest n that fits may no longer fit when 1 is added.
    if (reader.value === WIDE || reader.value === 0x7fffffff) {
      const magnitude = reader.value === WIDE ? reader.wide() : BigInt(reader.value);
      this.#json.ascii(String(magnitude + 1n));
    } else {
      this.#json.integer(reader.value + 1);
    }
  }

  #link(): void {
    const reader = this.#reader;
    const { bytes } = reader;
    const json = this.#json;
    if (reader.value !== LINK_TAG) throw new CborProblem("has a tag other than 42");
    reader.head();
    if (reader.major !== BYTES) throw new CborProblem("has a link that is not bytes");
    const length = reader.length();
    const start = reader.at;
    // Version 1: the AT Protocol has no other, and only version 1 is written in base32.
    if (length < SHORTEST_LINK_BYTES || bytes[start] !== 0 || bytes[start + 1] !== 1) {
      throw new CborProblem("has a link that is not a CID of version 1");
    }
    reader.at = start + length;
    json.raw(LINK_OPEN);
    json.base32(bytes, start + 1, start + length);
    json.raw(TEXT_OBJECT_CLOSE);
  }

  #bytes(): void {
    const reader = this.#reader;
    const json = this.#json;
    const length = reader.length();
    const start = reader.at;
    reader.at = start + length;
    if (this.#lossless) json.raw(BYTES_OPEN);
    else json.byte(QUOTE);
    // The AT Protocol's form has no padding.
    json.base64(reader.bytes, start, start + length, !this.#lossless);
    if (this.#lossless) json.raw(TEXT_OBJECT_CLOSE);
    else json.byte(QUOTE);
  }

  #simple(): void {
    const reader = this.#reader;
    const json = this.#json;
    switch (reader.info) {
      case 20:
        json.raw(FALSE);
        return;
      case 21:
        json.raw(TRUE);
        return;
      case 22:
      // `undefined` is not part of DAG-CBOR, yet the network's own decoder takes it for null.
      case 23:
        json.raw(NULL);
        return;
      case 25:
        this.#float(reader.view.getFloat16(reader.at - 2));
        return;
      case 26:
        this.#float(reader.view.getFloat32(reader.at - 4));
        return;
      case 27:
        this.#float(reader.view.getFloat64(reader.at - 8));
        return;
      default:
        throw new CborProblem("has a simple value that is unknown");
    }
  }

  #float(value: number): void {
    // JSON cannot express NaN and the infinities.
    if (Number.isFinite(value)) this.#json.ascii(String(value));
    else this.#json.raw(NULL);
  }
}
