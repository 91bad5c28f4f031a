/** What a project is kept by: the registrable domain of its URLs. */
import { getDomain } from "tldts";
import { hostOf } from "../web/url.ts";

/** A host without a registrable domain (localhost, an address) stands for itself, port included. */
export const domainOf = (url: string): string => getDomain(url) ?? hostOf(url);
