/** Exporting an archive: tables, WARC and WACZ files, and replaying the metadata. */
export { replayPages, writePages } from "../../archive/store/pages-csv.ts";
export { writeWacz } from "../../archive/store/wacz/wacz.ts";
export { joinWarcs } from "../../archive/store/warc/export-warcs.ts";
export { missingPages } from "../../archive/store/warc/missing-pages.ts";
export { recoverWarcs } from "../../archive/store/warc/warc-file.ts";
