/** Addresses of a fleet's database, as options of commands. */
export { hasPassword } from "../../fleet/postgres/database-urls.ts";
