/** Draws the PNG icons of the installed app from icon.svg: `node ui/tools/icons.ts`. Run it only when the logo changes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const file = (name: string): string => fileURLToPath(new URL(`../public/${name}`, import.meta.url));
const svg = readFileSync(file("icon.svg"), "utf8");
/** A maskable icon can be cropped to any shape, so it fills the square and keeps the logo in the middle 80%. */
const maskable = svg.replace('rx="14"', "").replace("<g ", '<g transform="translate(6.4 6.4) scale(.8)" ');

const ICONS = [
  { name: "icon-192.png", size: 192, source: svg },
  { name: "icon-512.png", size: 512, source: svg },
  { name: "icon-maskable-512.png", size: 512, source: maskable },
];

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const { name, size, source } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${source}`);
    await page.screenshot({ path: file(name), omitBackground: true });
    await page.close();
  }
} finally {
  await browser.close();
}
