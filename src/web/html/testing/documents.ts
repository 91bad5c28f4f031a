/** Generated pages for property tests: well-formed pieces, broken pieces and plain noise, mixed. */

import fc from "fast-check";

const NOISE = [
  "<",
  ">",
  "</",
  "<!",
  "<?",
  "<!--",
  "-->",
  "--!>",
  "-",
  "--",
  "!",
  "/",
  "=",
  '"',
  "'",
  "&",
  ";",
  "#",
  "x",
];
const SPACES = [" ", "\n", "\t", "\f", "\r", "\r\n", "  "];

const reference = fc.constantFrom(
  ...[
    "&amp;",
    "&amp",
    "&lt;",
    "&copy",
    "&copy=1",
    "&copyx",
    "&notit;",
    "&notin;",
    "&nbsp;",
    "&#65;",
    "&#x41",
    "&#",
    "&#x",
  ],
  ...[
    "&#0;",
    "&#128;",
    "&#13;",
    "&#xD800;",
    "&#1114112;",
    "&unknown;",
    "&;",
    "&&",
    "&hArr;",
    "&NotEqualTilde;",
    "&ngE;",
  ],
);

const word = fc.constantFrom("a", "Word", "é", "漢字", "😀", "1", "x=y", "]]>", "\0");
const text = fc.oneof(word, reference, fc.constantFrom(...NOISE, ...SPACES));

const name = fc.constantFrom(
  ...[
    "a",
    "A",
    "p",
    "div",
    "DIV",
    "span",
    "b",
    "li",
    "ul",
    "h1",
    "h2",
    "img",
    "br",
    "link",
    "meta",
    "base",
    "td",
    "table",
  ],
  ...["custom-element", "x\0y", "h1é", "body", "html", "head", "noscript", "template", "nav", "button", "form", "K"],
);
const rawName = fc.constantFrom(
  "title",
  "textarea",
  "style",
  "script",
  "SCRIPT",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
);

const attributeName = fc.constantFrom(
  ...[
    "href",
    "HREF",
    "src",
    "class",
    "rel",
    "content",
    "http-equiv",
    "x",
    "=",
    "=x",
    '"',
    "'",
    "<",
    "a\0",
    "é",
    "data-src",
  ],
);
const valueText = fc.array(
  fc.oneof(word, reference, fc.constantFrom("/", "?q=1&lang=en", "=", "<", "-", "\r\n", "\r", " ")),
  {
    maxLength: 4,
  },
);
const attributeValue = fc.oneof(
  valueText.map((parts) => `="${parts.join("")}>'"`),
  valueText.map((parts) => `='${parts.join("")}>"'`),
  valueText.map((parts) => `=${parts.join("").replaceAll(/\s/g, "_")}`),
  valueText.map((parts) => ` =\n"${parts.join("")}"`),
  fc.constantFrom("", "=", " = ", "=\t", '="', "='"),
);
const attribute = fc
  .tuple(fc.constantFrom(...SPACES, "/", ""), attributeName, attributeValue)
  .map((parts) => parts.join(""));
const attributes = fc.array(attribute, { maxLength: 4 }).map((list) => list.join(""));

const startTag = fc
  .tuple(name, attributes, fc.constantFrom(">", "/>", " >", " / >", ""))
  .map(([tag, list, end]) => `<${tag}${list}${end}`);
const endTag = fc
  .tuple(name, fc.constantFrom("", " ", " x", '  a=">"', "/"), fc.constantFrom(">", ">", ">", ""))
  .map(([tag, list, end]) => `</${tag}${list}${end}`);
const comment = fc
  .tuple(
    fc.array(fc.constantFrom("-", "--", "!", ">", "<!", "x", "->", "--!"), { maxLength: 5 }),
    fc.constantFrom("-->", "--!>", ">"),
  )
  .map(([parts, end]) => `<!--${parts.join("")}${end}`);
const rawContent = fc.constantFrom(
  ...[
    "a<b",
    "</",
    "</x>",
    "</titlex>",
    "</scriptx",
    "<!--",
    "-->",
    "<script>",
    "<script ",
    "</script",
    "<SCRIPT/",
    "--",
    ">",
  ],
  ...["<!-->", "<!--->", "&amp;", "&lt", "\r\n", "<scriptx>", "<", "-", "url(a)"],
);
const rawElement = fc
  .tuple(rawName, attributes, fc.array(rawContent, { maxLength: 6 }), fc.constantFrom(">", " >", "/>", " x='>'>"))
  .map(([tag, list, parts, end]) => `<${tag}${list.replaceAll(/["']/g, "")}>${parts.join("")}</${tag}${end}`);
const declaration = fc.constantFrom(
  ...[
    "<!DOCTYPE html>",
    '<!doctype html PUBLIC "a>b">',
    "<?xml version='1.0'?>",
    "<!x>",
    "</ x>",
    "</>",
    "<![CDATA[x>]]>",
  ],
);

/** Pages whose markup is HTML only. */
export const htmlPage = fc
  .array(fc.oneof(text, startTag, startTag, endTag, comment, rawElement, declaration), { maxLength: 24 })
  .map((parts) => parts.join(""));

const foreignText = fc.constantFrom("x", "&amp;", "<![CDATA[a<b>&amp;]]>", "<![CDATA[]]>", "<!-- c -->", " ");
const { svg } = fc.letrec<{ svg: string; inner: string; html: string }>((tie) => ({
  svg: fc
    .tuple(fc.constantFrom("svg", "SVG"), fc.array(tie("inner"), { maxLength: 4 }))
    .map(([tag, parts]) => `<${tag} viewBox="0 0 1 1">${parts.join("")}</${tag}>`),
  inner: fc.oneof(
    { maxDepth: 3 },
    foreignText,
    fc.constantFrom(
      "<path d='M0'/>",
      "<use href='#a' />",
      "<a xlink:href='x'>y</a>",
      "<script/>",
      "<style>a<g></g></style>",
    ),
    fc.constant("<image href=x.png />"),
    tie("html").map((parts) => `<foreignObject>${parts}</foreignObject>`),
    fc.constantFrom("<title>T<b></b>&amp;</title>", "<desc><p>x</p></desc>"),
    tie("svg"),
  ),
  html: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("<p>x</p>", "<script>a</b></script>", "<title>a<b></title>", "<img src=x>", "<![CDATA[x]]>"),
    tie("svg"),
  ),
}));

/** Pages with SVG in them, well nested. */
export const svgPage = fc
  .array(
    fc.oneof(
      svg,
      fc.constantFrom(
        "<p>x</p>",
        "<title>a<b></title>",
        "<style>a<b></style>",
        "<svg/>",
        "<svg><path><div>x</div>",
        "<math><mi>x<b></b></mi><mo>&amp;</mo></math>",
      ),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => `<body>${parts.join("")}`);
