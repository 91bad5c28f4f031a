/** Serving an archive to other programs, over HTTP. */
export { type ArchiveServer, serveArchive } from "../../atproto/serve/archive-server.ts";
