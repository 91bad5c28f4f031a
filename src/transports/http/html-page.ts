/** The layout of the few pages that the server renders: readable in light and dark, and on a phone. */
import { html, raw } from "hono/html";

type Html = ReturnType<typeof html> | string;

export interface HtmlPage {
  title: string;
  head: Html;
  body: Html;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5dde1, #2b353b); --dim: light-dark(#52616a, #9fb0b9);
  --page: light-dark(#f6f8f9, #0d1114); --card: light-dark(#fff, #151b1f); --accent: light-dark(#0b6b8a, #6cc5e0); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: light-dark(#172026, #e4ebee);
  font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main, header { max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
a { color: var(--accent); } .dim { color: var(--dim); }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: .6rem; overflow-x: auto;
  white-space: pre-wrap; }
.sign-in { max-width: 26rem; padding-top: 12vh; }
.sign-in form { display: grid; gap: .5rem; margin-bottom: 1.5rem; }
.sign-in label { font-weight: 600; } .sign-in [role=alert] { margin: 0; color: light-dark(#b3261e, #ff8a80); }
.sign-in input, .sign-in button { font: inherit; padding: .55rem .7rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--card); color: inherit; }
.sign-in button { background: var(--accent); border-color: var(--accent); color: var(--card); font-weight: 600; cursor: pointer; }
`;

export const htmlPage = ({ title, head, body }: HtmlPage) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <style>${raw(STYLE)}</style>
    ${head}
  </head>
  <body>
    ${body}
  </body>
</html>
`;
