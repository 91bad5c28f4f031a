/** The site that all contenders crawl: Debian's Python and PostgreSQL documentation behind nginx on loopback. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Corpus {
  /** The page that links to both trees. */
  url: string;
  /** Requests that nginx has answered so far, without those of this function. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

const TREES = [
  { prefix: "/python/", folder: "/usr/share/doc/python3.11/html/", package: "python3.11-doc", name: "Python" },
  {
    prefix: "/postgresql/",
    folder: "/usr/share/doc/postgresql-doc-15/html/",
    package: "postgresql-doc-15",
    name: "PostgreSQL",
  },
] as const;

const NGINX = "/usr/sbin/nginx";

/** Only pages are compared, so robots.txt disallows these. */
const NO_PAGES = ["_sources", "_downloads", "_images", "_static"];

/** With `copies`, the same pages are served that many times under different URLs: a larger site, for longer crawls. */
export async function startCorpus(copies = 1): Promise<Corpus> {
  installWhatIsMissing();
  const folder = await mkdtemp(join(tmpdir(), "trawl-corpus-"));
  const port = await freePort();
  const roots = Array.from({ length: copies }, (_, copy) => (copy === 0 ? "" : `/${copy + 1}`));
  await writeFile(join(folder, "nginx.conf"), configuration(folder, port, roots));
  const rules = roots.flatMap((root) => NO_PAGES.map((name) => `Disallow: ${root}/python/${name}/\n`));
  await writeFile(join(folder, "robots.txt"), `User-agent: *\n${rules.join("")}`);
  const links = roots
    .flatMap((root) => TREES.map(({ prefix, name }) => `<li><a href="${root}${prefix}index.html">${name}</a></li>`))
    .join("\n");
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><head><title>Corpus</title></head><body><h1>Corpus</h1><ul>\n${links}\n</ul></body></html>\n`,
  );
  // setpriv (util-linux) makes the kernel stop nginx when this process ends, even if it is killed.
  const nginx = spawn(
    "setpriv",
    ["--pdeathsig", "TERM", NGINX, "-c", join(folder, "nginx.conf"), "-p", folder, "-e", join(folder, "error.log")],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const exited = once(nginx, "exit");
  const url = `http://127.0.0.1:${port}/`;
  await answering(url, () => nginx.exitCode !== null);
  let own = 1;
  return {
    url,
    requests: async () => {
      const text = await (await fetch(`${url}__status`)).text();
      const total = Number(/^ *\d+ +\d+ +(\d+)/m.exec(text)?.[1]);
      return total - ++own;
    },
    close: async () => {
      nginx.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function installWhatIsMissing(): void {
  const missing: string[] = TREES.filter(({ folder }) => !existsSync(folder)).map((tree) => tree.package);
  if (!existsSync(NGINX)) missing.push("nginx-light");
  if (missing.length === 0) return;
  const command = ["install", "-y", "--no-install-recommends", ...missing];
  if (process.getuid?.() !== 0) throw new Error(`the bench needs: sudo apt-get ${command.join(" ")}`);
  console.log(`installing ${missing.join(", ")}`);
  execFileSync("apt-get", command, { stdio: ["ignore", "ignore", "inherit"] });
}

/** nginx cannot choose a free port, so one that was free a moment ago is used. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function answering(url: string, dead: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 100 && !dead(); attempt++) {
    try {
      await (await fetch(url)).text();
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error("nginx did not start");
}

function configuration(folder: string, port: number, roots: string[]): string {
  const trees = roots
    .flatMap((root) => TREES.map((tree) => `location ${root}${tree.prefix} { alias ${tree.folder}; }`))
    .join("\n    ");
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  // nginx's default temporary folders need root.
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join("\n  ");
  return `daemon off;
worker_processes 1;
${user}pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 4096; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  open_file_cache max=10000;
  ${temporary}
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location = /__status { stub_status; }
    ${trees}
  }
}
`;
}
