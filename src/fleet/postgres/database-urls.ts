/** Addresses of PostgreSQL as people give them. */
import { TrawlError } from "../../errors.ts";

const HINT = "The password comes from PGPASSWORD or ~/.pgpass. Separate a standby with a comma.";

/** `url[,url]` as given. A password may contain a comma. */
export function databaseUrls(text: string): string[] {
  const urls = text.split(/,\s*(?=postgres(?:ql)?:)/).map((url) => url.trim());
  for (const url of urls) {
    if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) continue;
    throw new TrawlError("BAD_USAGE", "--postgres needs an address such as postgres://user@host/database.", {
      hint: HINT,
    });
  }
  return urls;
}

export const hasPassword = (text: string): boolean =>
  databaseUrls(text).some((url) => {
    const { password, searchParams } = new URL(url);
    return password !== "" || searchParams.has("password");
  });

/** The address of a server, without secrets. */
export function shownUrl(url: string): string {
  const { host, hostname, port, pathname } = new URL(url);
  return `${hostname === "" ? "localhost" : host}${port === "" ? ":5432" : ""}${pathname}`;
}
