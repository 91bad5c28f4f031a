/** Every operation, by area. */
import * as about from "./about.ts";
import * as archives from "./archives.ts";
import * as atproto from "./atproto.ts";
import * as compare from "./compare.ts";
import * as config from "./config.ts";
import * as crawling from "./crawling.ts";
import * as crawls from "./crawls.ts";
import * as fleets from "./fleets.ts";
import * as issues from "./issues.ts";
import * as links from "./links.ts";
import * as schedules from "./schedules.ts";
import * as sql from "./sql.ts";
import * as urls from "./urls.ts";
import * as views from "./views.ts";

export {
  about,
  archives,
  atproto,
  compare,
  config,
  crawling,
  crawls,
  fleets,
  issues,
  links,
  schedules,
  sql,
  urls,
  views,
};
