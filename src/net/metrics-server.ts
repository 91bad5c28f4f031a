/** `GET /metrics` on loopback, for Prometheus. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { TrawlError } from "../errors.ts";
import { withoutFloods } from "./pipelining.ts";

/** The part of prom-client's registry that is needed here. */
export interface ServedMetrics {
  contentType: string;
  prometheus(): Promise<string>;
}

export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

const PORT_HINT = "Choose another with `--metrics-port <n>`; `--metrics-port 0` picks a free one.";

/** A website can point its own name at 127.0.0.1, and its page would then read what is served here: its name is in the header. */
const OWN_HOST = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/i;

/**
 * Port 0 lets the system choose. Listens on loopback only, and needs no token: it is opened on request, and the counts contain no
 * secrets. Other users of the machine can read them.
 */
export async function serveMetrics(metrics: ServedMetrics, port: number): Promise<MetricsServer> {
  const listener: RequestListener = async (request, response) => {
    if (request.url !== "/metrics" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(404).end();
      return;
    }
    if (!OWN_HOST.test(request.headers.host ?? "")) {
      response.writeHead(403).end();
      return;
    }
    response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.prometheus());
  };
  const server = createServer(withoutFloods(listener));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new TrawlError("BAD_USAGE", `Port ${port} cannot be used for metrics: ${error.message}`, { hint: PORT_HINT }),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
