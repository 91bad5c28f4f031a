/** How the browser reaches the network: through the same guard as every other request, so that no script can ask for more. */
import { Connector } from "../net/connector.ts";
import type { HttpClientOptions } from "../net/http-types.ts";
import { Router } from "../net/route.ts";
import { SocketSet } from "../net/socket-set.ts";
import type { Connect } from "../render/contract.ts";

export function guardedConnect(options: HttpClientOptions): Connect {
  const router = new Router(options);
  const connector = new Connector(options, new SocketSet(), () => performance.now());
  return (hostname, port) => {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    // TLS, where there is any, is the browser's own: here only the bytes pass.
    const origin = { key: `http://${host}:${port}`, secure: false, hostname, port, hostPort: `${host}:${port}` };
    return new Promise((resolve, reject) => {
      connector.open(router.route(origin), (error, established) => {
        if (established === null) reject(error);
        else resolve(established.socket);
      });
    });
  };
}
