/** `npm run recording`: a terminal in which the first commands of README.md run, as an animated picture in docs/recording.svg. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./command.ts";

const SCENES = ["demo", "issues last link.broken_internal --limit 3", "why last /search?q=bass"];
const COLUMNS = 106;
const ROWS = 28;

/** Pixels. */
const CHARACTER = 8.4;
const LINE = 19;
const MARGIN = 18;

/** Milliseconds: to type a key, to print a line, and for a person to read the output. */
const KEY = 55;
const PRINTED = 60;
const READ = 2_500;

/** SGR codes that the command line uses. */
const CLASSES: Record<string, string> = { 1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 34: "u", 35: "m", 36: "c" };
const STYLES = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d5dbe3;white-space:pre}
.b{font-weight:700}.d{fill:#8b96a5}.r{fill:#ff7b72}.g{fill:#7ee787}.y{fill:#f2cc60}.u{fill:#79c0ff}.m{fill:#d2a8ff}.c{fill:#76e3ea}
.l{animation:s 1ms both}@keyframes s{from{visibility:hidden}}
@media (prefers-reduced-motion:reduce){.l,.w{animation:none!important}}`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00A0");

/** A line with SGR codes, as the content of a text element. */
function coloured(line: string): string {
  const classes = new Set<string>();
  let markup = "";
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes === undefined) {
      markup +=
        classes.size === 0 || part === ""
          ? escaped(part)
          : `<tspan class="${[...classes].join(" ")}">${escaped(part)}</tspan>`;
      continue;
    }
    for (const code of codes.split(";")) {
      if (code === "" || code === "0") classes.clear();
      else if (code === "22") for (const name of ["b", "d"]) classes.delete(name);
      else if (code === "39") for (const name of "rgyumc") classes.delete(name);
      else if (CLASSES[code] !== undefined) classes.add(CLASSES[code]);
    }
  }
  return markup;
}

interface Shown {
  markup: string;
  at: number;
}

/** Every line, and when it appears. Typed text appears key by key. */
function played(home: string): Shown[] {
  const shown: Shown[] = [];
  let now = 600;
  const environment = {
    ...process.env,
    TRAWL_HOME: home,
    FORCE_COLOR: "1",
    COLUMNS: String(COLUMNS),
    npm_command: "exec",
  };
  for (const scene of SCENES) {
    const typed = `npx trawl ${scene}`;
    const keys = [...typed].map(
      (key, place) => `<tspan class="l" style="animation-delay:${now + place * KEY}ms">${escaped(key)}</tspan>`,
    );
    shown.push({ markup: `<tspan class="g">$</tspan>\u00A0${keys.join("")}`, at: now });
    now += typed.length * KEY + 400;
    const output = execFileSync(process.execPath, [join(ROOT, "bin/trawl.js"), ...scene.split(" ")], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    for (const line of output.trimEnd().replaceAll(home, "~/.trawl").split("\n")) {
      shown.push({ markup: coloured(line), at: now });
      now += PRINTED;
    }
    shown.push({ markup: "", at: now });
    now += READ;
  }
  return shown;
}

/** The window moves up by a line whenever one is printed below it. */
function scrolling(lines: readonly Shown[]): string {
  const end = lines.at(-1)!.at;
  const steps = lines.slice(ROWS).map(({ at }, above) => {
    const percent = ((at / end) * 100).toFixed(3);
    return `${percent}%{transform:translateY(${-(above + 1) * LINE}px)}`;
  });
  return `.w{animation:w ${end}ms step-end both}@keyframes w{0%{transform:none}${steps.join("")}}
@media (prefers-reduced-motion:reduce){.w{transform:translateY(${-Math.max(0, lines.length - ROWS) * LINE}px)}}`;
}

function picture(lines: readonly Shown[]): string {
  const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = ROWS * LINE + 2 * MARGIN;
  const texts = lines.map(
    ({ markup, at }, row) =>
      `<text class="l" x="${MARGIN}" y="${MARGIN + row * LINE + 14}" style="animation-delay:${at}ms">${markup}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: ${SCENES.map((scene) => `npx trawl ${scene}`).join(", ")}">
<style>${STYLES}
${scrolling(lines)}</style>
<clipPath id="s"><rect x="0" y="${MARGIN / 2}" width="${width}" height="${height - MARGIN}"/></clipPath>
<rect width="${width}" height="${height}" rx="10" fill="#12181f"/>
<g clip-path="url(#s)"><g class="w">
${texts.join("\n")}
</g></g>
</svg>
`;
}

const home = mkdtempSync(join(tmpdir(), "trawl-recording-"));
try {
  const file = join(ROOT, "docs", "recording.svg");
  writeFileSync(file, picture(played(home)));
  console.log(file);
} finally {
  rmSync(home, { recursive: true, force: true });
}
