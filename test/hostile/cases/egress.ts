/** Pages that want a request to be sent to the user's own machine or network, in every element and every spelling. */
import { type Case, type Exchange, page, redirect } from "../case.ts";

/** Addresses that are not on the public internet, as browsers read them. */
export const PRIVATE_HOSTS = [
  ...[
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0x7f.1",
    "127.255.255.254",
    "0.0.0.0",
    "0",
  ],
  ...[
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
  ],
  ...["localhost", "LOCALHOST", "localhost.", "sub.localhost", "%6c%6f%63alhost", "①②⑦.⓪.⓪.①", "127。0。0。1"],
  ...[
    "169.254.169.254",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
  ],
];

const ELEMENTS: Record<string, (url: string) => string> = {
  a: (url) => `<a href="${url}">x</a>`,
  img: (url) => `<img src="${url}">`,
  srcset: (url) => `<img srcset="${url} 2x">`,
  script: (url) => `<script src="${url}"></script>`,
  stylesheet: (url) => `<link rel=stylesheet href="${url}">`,
  style: (url) => `<style>a { background: url("${url}") }</style>`,
  iframe: (url) => `<iframe src="${url}"></iframe>`,
  video: (url) => `<video src="${url}" poster="${url}"></video>`,
  object: (url) => `<object data="${url}"></object>`,
  refresh: (url) => `<meta http-equiv=refresh content="0; url=${url}">`,
  icon: (url) => `<link rel=icon href="${url}">`,
};

/** Each spelling is a different URL in each case, so that none hides behind another. */
const urls = ({ canary }: Exchange, name: string): string[] =>
  PRIVATE_HOSTS.map((host) => `http://${host}:${canary}/${name}`);

export const EGRESS: readonly Case[] = [
  ...Object.entries(ELEMENTS).map(([element, html]): Case => {
    const name = `private-in-${element}`;
    return {
      threat: 15,
      name,
      serve: (exchange) => page(urls(exchange, name).map(html).join("\n"))(exchange),
      site: { "/": { status: 200 } },
    };
  }),
  {
    threat: 15,
    name: "private-after-redirect",
    serve: (exchange) => {
      const targets = urls(exchange, "private-after-redirect");
      if (exchange.path !== "/") redirect(targets[Number(exchange.path.slice(1))]!)(exchange);
      else page(targets.map((_, index) => `<a href="/${index}">x</a>`).join(""))(exchange);
    },
    site: { "/": { status: 200 }, "/0": { status: 302, error: null } },
  },
];
