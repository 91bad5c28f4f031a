/** One server for all cases: each has a host name, over plain HTTP, TLS, HTTP/2, or a connection that is none of these. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { type Certificate, makeCertificate } from "../../src/net/testing/certificate.ts";
import { answer, type Case, type Exchange, links } from "./case.ts";

export const DOMAIN = "hostile.example";
/** Archives know one host. There, the last segment of the path names the case. */
export const CODE_HOST = "github.com";

export interface HostileServer {
  /** The start page: it links to the pages of all cases. */
  url: string;
  /** Rules that lead every host to this server. */
  connectTo: { host: string; port: number; address: string; toPort: number }[];
  ca: string;
  /** The page of a case. */
  urlOf(name: string, path?: string): string;
  /** Paths that were asked for on the host of a case, in order, robots.txt included. */
  asked(name: string): string[];
  /** Connections to the port that nothing may connect to. */
  escaped(): number;
  close(): Promise<void>;
}

const MAX_HEAD = 65_536;

export async function hostileServer(cases: readonly Case[]): Promise<HostileServer> {
  const [certificate, foreign] = await certificates();
  const byName = new Map(cases.map((one) => [one.name, one]));
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const requests = new Map<string, string[]>();
  const ports = new Map<string, number>();

  const listen = async (server: Server): Promise<number> => {
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      // Broken connections are the purpose of this server.
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
    });
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };

  let escapes = 0;
  const canary = await listen(createServer(() => escapes++));

  const url = (name: string, path = "/"): string => {
    const over = byName.get(name)?.over ?? "http";
    const host = name === "" ? DOMAIN : `${name}.${DOMAIN}`;
    return `${over === "http" ? "http" : "https"}://${host}${path}`;
  };

  const answerStart = (exchange: Exchange): void => {
    if (exchange.path === "/") answer(exchange, links(...cases.map(({ name }) => url(name))));
    else answer(exchange, "not here", { status: 404 });
  };

  const serve = (socket: Socket, { method, path, headers }: RequestHead): void => {
    const host = (headers["host"] ?? "").replace(/:\d+$/, "");
    const name = host === CODE_HOST ? path.slice(path.lastIndexOf("/") + 1) : host.slice(0, -DOMAIN.length - 1);
    const asked = requests.get(name) ?? [];
    requests.set(name, asked);
    asked.push(path);
    const attempt = asked.filter((one) => one === path).length;
    const exchange: Exchange = { socket, method, path, headers, attempt, canary };
    const found = byName.get(name);
    if (path === "/robots.txt" && found?.robots === undefined) answer(exchange, "", { status: 404 });
    else if (path === "/robots.txt") found!.robots!(exchange);
    else if (found === undefined) answerStart(exchange);
    else found.serve(exchange);
  };

  const onConnection = (socket: Socket): void => {
    readHead(socket, (head) => serve(socket, head));
  };
  const secure = (over: "https" | "http2") =>
    createTlsServer(
      {
        key: certificate.key,
        cert: certificate.cert,
        ALPNProtocols: over === "http2" ? ["h2"] : ["http/1.1"],
        SNICallback: (host, callback) => {
          const wrong = host.startsWith("unknown-authority") ? foreign : null;
          callback(null, wrong === null ? undefined : createSecureContext({ key: wrong.key, cert: wrong.cert }));
        },
      },
      (socket: TLSSocket) => {
        socket.on("error", () => {});
        const name = ((socket.servername as string | false) || "").slice(0, -DOMAIN.length - 1);
        if (over === "https") onConnection(socket);
        // HTTP/2 requests are not read: which case it is, the handshake says.
        else byName.get(name)?.serve({ socket, method: "GET", path: "/", headers: {}, attempt: 1, canary });
      },
    ).on("tlsClientError", () => {});

  ports.set("http", await listen(createServer(onConnection)));
  ports.set("https", await listen(secure("https") as unknown as Server));
  ports.set("http2", await listen(secure("http2") as unknown as Server));
  for (const { name, over, serve } of cases) {
    if (over !== "tcp") continue;
    const onRaw = (socket: Socket) => serve({ socket, method: "", path: "", headers: {}, attempt: 1, canary });
    ports.set(name, await listen(createServer(onRaw)));
  }
  const rule = (host: string, over = "http", toPort = ports.get(over)!) => {
    return { host, port: over === "http" ? 80 : 443, address: "127.0.0.1", toPort };
  };
  return {
    url: url(""),
    urlOf: url,
    connectTo: [
      rule(CODE_HOST, "https"),
      rule(DOMAIN),
      ...cases.map(({ name, over }) =>
        rule(`${name}.${DOMAIN}`, over, ports.get(over === "tcp" ? name : (over ?? "http"))),
      ),
    ],
    ca: certificate.ca,
    asked: (name) => [...(requests.get(name) ?? [])],
    escaped: () => escapes,
    close: async () => {
      const closed = servers.map((server) => once(server, "close"));
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

let made: Promise<[Certificate, Certificate]> | null = null;

/** One that is trusted, and one that is not. */
const certificates = (): Promise<[Certificate, Certificate]> =>
  (made ??= Promise.all([makeCertificate(DOMAIN, `*.${DOMAIN}`, CODE_HOST), makeCertificate(`*.${DOMAIN}`)]));

interface RequestHead {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** Reads requests one after the other; nothing that a crawl sends has a body. */
function readHead(socket: Socket, onHead: (head: RequestHead) => void): void {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end < 0 || end > MAX_HEAD) return;
    const [line = "", ...fields] = text.slice(0, end).split("\r\n");
    text = text.slice(end + 4);
    const [method = "", path = "/"] = line.split(" ");
    const pairs = fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    });
    onHead({ method, path, headers: Object.fromEntries(pairs) });
  });
}
