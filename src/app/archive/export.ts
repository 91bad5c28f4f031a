/** Taking an archive elsewhere: tables, WARC and WACZ files, and the pages again in order. */
export { replayPages, writePages } from "../../archive/store/pages-csv.ts";
export { writeWacz } from "../../archive/store/wacz/wacz.ts";
export { joinWarcs } from "../../archive/store/warc/warc-file.ts";
