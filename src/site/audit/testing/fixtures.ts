/** The fixtures of all rules, by rule. */
import { ACCESSIBILITY_FIXTURES } from "./accessibility-fixtures.ts";
import { CONTENT_FIXTURES } from "./content-fixtures.ts";
import { DIRECTIVE_FIXTURES } from "./directive-fixtures.ts";
import { DOCUMENT_FIXTURES } from "./document-fixtures.ts";
import type { Fixtures } from "./fixture.ts";
import { HREFLANG_FIXTURES } from "./hreflang-fixtures.ts";
import { LINK_FIXTURES } from "./link-fixtures.ts";
import { MARKUP_FIXTURES } from "./markup-fixtures.ts";
import { RENDERING_FIXTURES } from "./rendering-fixtures.ts";
import { RESPONSE_FIXTURES } from "./response-fixtures.ts";
import { SECURITY_FIXTURES } from "./security-fixtures.ts";
import { SITEMAP_FIXTURES } from "./sitemap-fixtures.ts";
import { URL_FIXTURES } from "./url-fixtures.ts";

export const FIXTURES: Fixtures = {
  ...RESPONSE_FIXTURES,
  ...URL_FIXTURES,
  ...DIRECTIVE_FIXTURES,
  ...CONTENT_FIXTURES,
  ...LINK_FIXTURES,
  ...HREFLANG_FIXTURES,
  ...RENDERING_FIXTURES,
  ...SECURITY_FIXTURES,
  ...SITEMAP_FIXTURES,
  ...MARKUP_FIXTURES,
  ...DOCUMENT_FIXTURES,
  ...ACCESSIBILITY_FIXTURES,
};
