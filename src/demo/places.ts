/** The odd places of the demo site by name, for its own links and for tests. */

export const PLACES = {
  /** 301 to /shop. */
  movedForGood: "/store",
  /** 302 to a product. */
  movedForToday: "/offers/today",
  /** Three redirects on the way to the home page. */
  chainStart: "/old-home",
  /** Redirects to /account/check, which redirects back. */
  loopStart: "/account/login",
  /** 302 to another host. */
  movedAway: "/partners/out",
  /** Linked, but missing: 404. */
  missing: ["/products/tin-rod-holder", "/docs/knots/sheepshank", "/blog/the-one-that-got-away"],
  gone: "/blog/2019-catalogue",
  failing: "/shop/stock-levels",
  slow: "/stores/skerry-point",
  /** The same bytes as /about. */
  duplicate: "/about-us",
  /** Canonical to the guide without /print. */
  printed: "/docs/knots/palomar/print",
  noindexByHeader: "/newsletter/2026-11",
  nofollowPage: "/partners",
  /** Linked only from the nofollow page. */
  behindNofollow: "/partners/charter-skippers",
  withoutTitle: "/docs/bait/keeping-peeler-crab",
  severalHeadings: "/docs/upkeep",
  /** In a sitemap and nowhere else. */
  orphans: ["/landing/spring-sale", "/landing/beginners", "/landing/gift-vouchers", "/landing/pier-club"],
  /** Its links exist only after its script has run. */
  rendered: "/boats",
  windows1252: "/blog/cafe-du-port",
  languages: ["/en/shipping", "/fr/livraison", "/de/versand"],
  /** Forbidden by robots.txt. */
  forbidden: ["/private/staff-rota", "/private/trade-prices", "/search"],
  calendar: "/calendar/2026/11?view=month",
  facets: "/shop/all",
  nesting: "/help/tides/",
  /** More than 2,083 characters with its query, which is where many programs stop. */
  long: `/gift-card?message=${"many-happy-returns-".repeat(115)}`,
  pdf: "/downloads/size-chart.pdf",
} as const;
