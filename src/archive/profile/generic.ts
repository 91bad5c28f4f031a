/** The built-in profile of a site that is not a code host. Its hosts come from the settings; each is capped as a whole. */
import { type Profile, profileSchema } from "./profile.ts";

/** Pages that only a visitor with an account needs, or that change something. */
const NOT_READ = [
  "admin",
  "basket",
  "cart",
  "checkout",
  "log-?in",
  "log-?out",
  "password",
  "register",
  "search",
  "sign-?in",
  "sign-?out",
  "sign-?up",
  "wp-admin",
  "wp-login",
];

/** Files that cannot be pages. Downloading them only to find that out would cost the host gigabytes. */
const NOT_PAGES = [
  "7z|apk|bin|bz2|deb|dmg|exe|gz|img|iso|jar|msi|rar|rpm|tar|tgz|xz|zip|zst",
  "avi|flac|m4a|m4v|mkv|mov|mp3|mp4|mpe?g|ogg|ogv|wav|webm",
  "avif|bmp|css|gif|ico|jpe?g|js|json|map|mjs|otf|png|svg|tiff?|ttf|webp|woff2?",
];

export const GENERIC: Profile = profileSchema.parse({
  name: "generic",
  hosts: [],
  allow_patterns: ["^https?://"],
  deny_patterns: [
    `(?i)^https?://[^/]+(/[^?#]*)?/(${NOT_READ.join("|")})([/.?]|$)`,
    `(?i)[.](${NOT_PAGES.join("|")})([?]|$)`,
  ],
  max_repeats: 3,
  // A server may redirect /docs to /docs/: without the slash, the page would be its own redirect.
  trailing_slash: "keep",
  page_types: [
    { name: "page", pattern: "^https?://", repo: true, target: true, pagination: { param: "page", max: 50 } },
  ],
  repo_segments: 0,
  caps: { per_repo_max_pages: 10_000, max_depth: 16 },
  seeds: ["https://{host}/"],
  links: [{ name: "robots.txt", url: "https://{host}/robots.txt" }],
});
