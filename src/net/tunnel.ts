/** A tunnel through an HTTP proxy (RFC 9110 section 9.3.6): after it the socket speaks to the far host. */
import { request } from "node:http";
import type { Socket } from "node:net";
import { FetchError } from "./fetch-errors.ts";

/** `authority` is `host:port`. */
export function openTunnel(socket: Socket, authority: string, authorization: string | null): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connect = request({
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization === null ? {} : { "proxy-authorization": authorization }) },
      createConnection: () => socket,
    });
    const refuse = (detail: string, cause?: Error) => {
      socket.destroy();
      reject(new FetchError("proxy_failed", detail, { cause }));
    };
    connect.once("connect", (response, _socket, head) => {
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) return refuse(`status ${status}`);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    // Some proxies answer a refused CONNECT as if it were any request, with a body.
    connect.once("response", (response) => refuse(`status ${response.statusCode}`));
    connect.once("error", (error) => refuse(error.message, error));
    connect.end();
  });
}
