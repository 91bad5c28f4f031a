/** A server that speaks just enough of PostgreSQL's protocol to report that it is an old one. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

const message = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);

const INTEGER = 23;
const BOOLEAN = 16;
const READY = message("Z", Buffer.from("I"));

const column = (name: string, type: number): Buffer =>
  Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(4), int32(-1), int16(0)]);
const value = (written: string): Buffer => Buffer.concat([int32(written.length), Buffer.from(written)]);

function answer(version: number): Buffer {
  const columns = [column("version", INTEGER), column("reading", BOOLEAN), column("forgetful", BOOLEAN)];
  return Buffer.concat([
    message("T", int16(columns.length), ...columns),
    message("D", int16(columns.length), value(`${version}`), value("f"), value("f")),
    message("C", text("SELECT 1")),
    READY,
  ]);
}

export interface OldPostgres {
  url: string;
  close(): void;
}

/** `version` as in server_version_num. */
export async function oldPostgres(version: number): Promise<OldPostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isStarted = false;
    socket.on("error", () => {});
    socket.on("data", () => {
      socket.write(isStarted ? answer(version) : Buffer.concat([message("R", int32(0)), READY]));
      isStarted = true;
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `postgres://trawl@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
