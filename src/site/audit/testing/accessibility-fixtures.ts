/** Sites for the rules about who can use a page, and how fast it appears. */
import type { FieldFacts } from "../../facts/fact-rows.ts";
import type { Answer, Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
const withBody = (fires: string, silent: string): Fixture => ({
  fires: page({ body: fires }),
  silent: page({ body: silent }),
});
const measured = (fires: Partial<FieldFacts>, silent: Partial<FieldFacts>): Fixture => ({
  fires: good,
  silent: good,
  field: { fires, silent },
});
const sheets = (count: number, more = ""): string =>
  Array.from({ length: count }, (_, at) => `<link rel="stylesheet" href="/${at}.css" ${more}>`).join("");

const photo = (n: number): string => `<img src="/photo-${n}" alt="Photo number ${n}" width="9" height="9">`;
const heavy = (count: number): string => page({ body: Array.from({ length: count }, (_, n) => photo(n)).join("") });
/** Two million bytes each. */
const photos = (count: number): Record<`/${string}`, Answer> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`/photo-${n}`, { type: "image/jpeg", body: Buffer.alloc(2_000_000, n) }]),
  );

export const ACCESSIBILITY_FIXTURES: Fixtures = {
  "a11y.form_label": withBody(
    '<form><input name="mail" id="a"><label for="b">Mail</label></form>',
    `<form><label for="c">Mail</label><input id="c"><label>City <select></select></label><textarea aria-label="Text"></textarea>
     <input type="hidden"><input type="submit"><input title="Search"></form>`,
  ),
  "a11y.unnamed_control": withBody(
    '<button class="menu"><svg><path d="M0 0"/></svg></button>',
    `<button>Menu</button><button aria-label="Menu"></button><button><img src="/icon.png" alt="Menu" width="9" height="9"></button>
     <a href="/about" aria-label="About"><svg></svg></a><a href="/about"><img src="/icon.png" alt="About" width="9" height="9"></a>
     <a href="/about" title="About"></a><input type="button" value="Go">`,
  ),
  "a11y.main_landmark": {
    fires: good.replace("<main>", "<div>").replace("</main>", "</div>"),
    silent: good.replace("<main>", '<div role="main">').replace("</main>", "</div>"),
  },
  "a11y.invalid_role": withBody('<div role="buton">x</div>', '<div role="madeup button doc-tip">x</div>'),
  "perf.lcp": measured({ lcp: 4_001 }, { lcp: 4_000 }),
  "perf.inp": measured({ inp: 501 }, { inp: 500 }),
  "perf.cls": measured({ cls: 0.26 }, { cls: 0.25 }),
  "perf.budget": {
    fires: { "/": heavy(3), ...photos(3) },
    silent: { "/": heavy(2), ...photos(2) },
  },
  "perf.render_blocking": {
    fires: page({ head: sheets(7) }),
    silent: page({
      head: `${sheets(6)}${sheets(3, 'media="print"')}<script src="/a.js" defer></script><script type="module" src="/b.js"></script>`,
      body: sheets(3),
    }),
  },
};
