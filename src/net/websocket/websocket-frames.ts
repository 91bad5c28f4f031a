/** The frames of a WebSocket (RFC 6455 section 5): bytes to messages and back, with a limit on a message's size. Pure. */
import { randomFillSync } from "node:crypto";

export const TEXT_FRAME = 1;
export const BINARY_FRAME = 2;
export const CLOSE_FRAME = 8;
export const PING_FRAME = 9;
export const PONG_FRAME = 10;
const CONTINUATION = 0;
const CONTROL_FRAMES = 8;

/** A frame of a control message has at most this much (section 5.5). */
const MOST_CONTROL_BYTES = 125;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MASK_BYTES = 4;
/** Pieces of one message: empty ones would go on without end, whatever the limit on its size. */
const MOST_PIECES = 10_000;

export interface Message {
  kind: number;
  data: Buffer;
}

/** The other side does not speak the protocol, or says too much. `code` is that of the close frame. */
export class WebSocketProblem extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "WebSocketProblem";
    this.code = code;
  }
}

const NOTHING = Buffer.alloc(0);

/** Takes bytes as they come; gives whole messages. */
export class FrameReader {
  readonly #largest: number;
  readonly #masked: boolean;
  /** What does not make a frame yet. */
  #bytes: Buffer = NOTHING;
  /** Where it lies when its frame came in pieces, with room for more: a frame that drips in is not copied with every drop. */
  #room: Buffer = NOTHING;
  /** The pieces of a message that is not over. */
  #pieces: Buffer[] = [];
  #piecesLength = 0;
  #kind = 0;

  /** `masked`: what clients send is masked, what servers send is not (section 5.1). */
  constructor(options: { largestMessage: number; masked: boolean }) {
    this.#largest = options.largestMessage;
    this.#masked = options.masked;
  }

  /** Throws a WebSocketProblem. Messages have memory of their own: a small one does not hold on to what came with it. */
  *push(bytes: Buffer): Generator<Message> {
    this.#append(bytes);
    for (let message = this.#next(); message !== null; message = this.#next()) {
      if (message !== "piece") yield message;
    }
  }

  #append(bytes: Buffer): void {
    const held = this.#bytes;
    const length = held.length + bytes.length;
    if (held.length === 0) {
      this.#bytes = bytes;
      return;
    }
    if (length > this.#room.length) {
      this.#room = Buffer.allocUnsafe(this.#room.length === 0 ? length : 2 * length);
      held.copy(this.#room);
    }
    bytes.copy(this.#room, held.length);
    this.#bytes = this.#room.subarray(0, length);
  }

  #next(): Message | "piece" | null {
    const bytes = this.#bytes;
    if (bytes.length < 2) return null;
    const [first, second] = [bytes[0]!, bytes[1]!];
    if ((first & 0x70) !== 0) throw new WebSocketProblem(1002, "a frame uses an extension that was not agreed on");
    if (((second & 0x80) !== 0) !== this.#masked) throw new WebSocketProblem(1002, "a frame is masked the wrong way");
    const short = second & 0x7f;
    const headLength = 2 + (short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0) + (this.#masked ? MASK_BYTES : 0);
    if (bytes.length < headLength) return null;
    const length =
      short === LENGTH_16 ? bytes.readUInt16BE(2) : short === LENGTH_64 ? Number(bytes.readBigUInt64BE(2)) : short;
    const kind = first & 0x0f;
    this.#check(kind, length, (first & 0x80) !== 0);
    if (bytes.length < headLength + length) return null;
    const data = Buffer.from(bytes.subarray(headLength, headLength + length));
    if (this.#masked) unmask(data, bytes.subarray(headLength - MASK_BYTES, headLength));
    this.#bytes = bytes.subarray(headLength + length);
    this.#room = NOTHING;
    if (kind >= CONTROL_FRAMES) return { kind, data };
    return this.#assemble(kind, data, (first & 0x80) !== 0);
  }

  #check(kind: number, length: number, isLast: boolean): void {
    if (kind >= CONTROL_FRAMES) {
      if (length > MOST_CONTROL_BYTES || !isLast) throw new WebSocketProblem(1002, "a control frame is too long");
      if (kind > PONG_FRAME) throw new WebSocketProblem(1002, "a frame has an unknown type");
      return;
    }
    if (kind > BINARY_FRAME) throw new WebSocketProblem(1002, "a frame has an unknown type");
    if ((kind === CONTINUATION) !== this.#pieces.length > 0)
      throw new WebSocketProblem(1002, "a message is cut wrongly");
    if (this.#pieces.length >= MOST_PIECES) {
      throw new WebSocketProblem(1009, `a message has more than ${MOST_PIECES} pieces`);
    }
    if (this.#piecesLength + length > this.#largest) {
      throw new WebSocketProblem(1009, `a message has more than ${this.#largest} bytes`);
    }
  }

  #assemble(kind: number, data: Buffer, isLast: boolean): Message | "piece" {
    if (kind !== CONTINUATION) this.#kind = kind;
    if (isLast && this.#pieces.length === 0) return { kind, data };
    this.#pieces.push(data);
    this.#piecesLength += data.length;
    if (!isLast) return "piece";
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#piecesLength = 0;
    return { kind: this.#kind, data: whole };
  }
}

function unmask(data: Buffer, mask: Buffer): void {
  for (let at = 0; at < data.length; at++) data[at]! ^= mask[at & 3]!;
}

/** One frame that is a whole message. */
export function encodeFrame(kind: number, data: Uint8Array, masked: boolean): Buffer {
  const lengthBytes = data.length < LENGTH_16 ? 0 : data.length < 0x1_0000 ? 2 : 8;
  const headLength = 2 + lengthBytes + (masked ? MASK_BYTES : 0);
  const frame = Buffer.allocUnsafe(headLength + data.length);
  frame[0] = 0x80 | kind;
  frame[1] = (masked ? 0x80 : 0) | (lengthBytes === 0 ? data.length : lengthBytes === 2 ? LENGTH_16 : LENGTH_64);
  if (lengthBytes === 2) frame.writeUInt16BE(data.length, 2);
  else if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(data.length), 2);
  frame.set(data, headLength);
  if (masked) {
    const mask = randomFillSync(frame.subarray(headLength - MASK_BYTES, headLength));
    unmask(frame.subarray(headLength), mask);
  }
  return frame;
}
