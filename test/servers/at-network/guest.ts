/** A third-party server in the network: reached by name like the others, and counted and timed like them. */
import { type RequestListener, request as send } from "node:http";

export interface Guest {
  /** As the relay lists it. */
  name: string;
  /** Where it really is, in plain HTTP. */
  url: string;
  /** What it registered with the directory, by DID. */
  operations: ReadonlyMap<string, PlcOperation>;
}

/** What is read of it. */
export interface PlcOperation {
  alsoKnownAs: string[];
  verificationMethods: { atproto: string };
  services: { atproto_pds: { endpoint: string } };
}

export const forwardTo =
  (url: string): RequestListener =>
  (request, response) => {
    const { method, headers } = request;
    const forwarded = send(new URL(request.url ?? "/", url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.once("close", () => forwarded.destroy());
    request.pipe(forwarded);
  };
