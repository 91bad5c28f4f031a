/**
 * Thousands of hosts in one process: every address of 127.0.0.0/8, on one port. About one answer in six is a fault.
 * Prints its port, and ends when its standard input does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { seededRandom } from "../servers/random.ts";
import { hostAddress } from "./soak-hosts.ts";

const [lanes = 2_000, pages = 4] = process.argv.slice(2).map(Number);
const HTML = { "content-type": "text/html; charset=utf-8" };
const BOMB = gzipSync(Buffer.alloc(32 << 20));
const LARGE = Buffer.alloc(1 << 20, "<p>more");
const random = seededRandom(1);

type Fault = (response: ServerResponse) => void;

const FAULTS: readonly Fault[] = [
  (response) => void response.socket?.resetAndDestroy(),
  (response) => void response.socket?.end("220 mail.example ESMTP\r\n"),
  (response) => void response.writeHead(503, HTML).end("<p>busy"),
  (response) => void response.writeHead(429, { "retry-after": "1" }).end(),
  (response) => void response.writeHead(302, { location: "/loop" }).end(),
  (response) => void response.writeHead(200, { ...HTML, "content-encoding": "gzip" }).end(BOMB),
  (response) => void response.writeHead(200, { ...HTML, "content-encoding": "gzip" }).end("not gzip"),
  (response) => void response.writeHead(200, HTML).end(`${"<div>".repeat(20_000)}<a href="/p1">deep</a>`),
  (response) =>
    void response.writeHead(200, { ...HTML, "content-length": "1000" }).write("half", () => response.socket?.end()),
  // Endless, as fast as it is read.
  (response) => {
    response.writeHead(200, HTML);
    const fill = (): void => {
      while (!response.destroyed && response.write(LARGE));
    };
    response.on("drain", fill);
    fill();
  },
  // Drips until the client has had enough.
  (response) => {
    response.writeHead(200, HTML);
    const timer = setInterval(() => response.write("."), 100);
    response.once("close", () => clearInterval(timer));
  },
  // Never answers.
  () => {},
];

function page(host: string, port: number): string {
  const own = Array.from({ length: pages }, (_, index) => `<a href="/p${index + 1}">page ${index + 1}</a>`);
  const others = Array.from({ length: 10 }, () => `<a href="http://${hostAddress(random(lanes))}:${port}/">other</a>`);
  return `<!doctype html><title>${host}</title><h1>${host}</h1>${own.join("")}${others.join("")}<p>${random(1e9)}`;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  response.on("error", () => {});
  const { url = "/", headers, socket } = request;
  const host = headers.host ?? "";
  if (url === "/start") {
    const links = Array.from(
      { length: lanes },
      (_, index) => `<a href="http://${hostAddress(index)}:${socket.localPort}/">h</a>`,
    );
    response.writeHead(200, HTML).end(links.join(""));
  } else if (url === "/robots.txt") response.writeHead(404).end();
  else if (random(6) === 0) FAULTS[random(FAULTS.length)]!(response);
  else response.writeHead(200, HTML).end(page(host, socket.localPort!));
}

const server = createServer(answer);
// It listens on all addresses to have all those of loopback, and answers nobody from elsewhere.
server.on("connection", (socket) => {
  socket.on("error", () => {});
  if (!socket.remoteAddress?.startsWith("127.")) socket.destroy();
});
server.listen(0, "0.0.0.0", () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.stdin.resume().once("end", () => process.exit(0));
