/** `GET /metrics` on loopback, for Prometheus. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TrawlError } from "../errors.ts";

/** The part of prom-client's registry that is needed here. */
export interface ServedMetrics {
  contentType: string;
  prometheus(): Promise<string>;
}

export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

/** Port 0 lets the system choose. Listens on loopback only: the counts contain no secrets, but should not be public. */
export async function serveMetrics(metrics: ServedMetrics, port: number): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.prometheus());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new TrawlError("BAD_USAGE", `Port ${port} cannot be used for metrics: ${error.message}`)),
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
