/** Hostile pages in a browser: whatever their scripts try, nothing on this machine is reached, and every page has its result. */
import { needsBrowser } from "../../src/render/testing/browser.ts";
import { RENDERED } from "./cases/rendered.ts";
import { siteGroup } from "./site-group.ts";

siteGroup("rendered pages", RENDERED, {
  needs: needsBrowser,
  settings: { render: true, renderTabs: 2, renderSettle: 0.1, renderMax: 5 },
});
