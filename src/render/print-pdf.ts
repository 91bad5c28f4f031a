/** Prints a self-contained HTML document as PDF. */
import { TrawlError } from "../errors.ts";
import { BrowserProcess, LATE, within } from "./browser-process.ts";
import { findBrowser, isExecutable } from "./find-browser.ts";

const PRINT_MS = 60_000;

export async function printPdf(html: string, browser: string | null = null): Promise<Buffer> {
  const choice = findBrowser(browser, process.env, isExecutable);
  if (choice === null) throw new TrawlError("BROWSER_NOT_FOUND");
  const options = { executablePath: choice.executablePath, tabs: 1, userAgent: "trawl" };
  // A proxy address that nothing listens on: whatever the document names, nothing is requested.
  const chromium = await BrowserProcess.launch(options, "http://127.0.0.1:9");
  try {
    const { session } = await chromium.openPage();
    const printed = await within(print(session, html), PRINT_MS);
    if (printed === LATE) throw new TrawlError("BROWSER_FAILED", "The browser took too long to print the report.");
    return Buffer.from(printed, "base64");
  } finally {
    await chromium.kill();
  }
}

type Session = Awaited<ReturnType<BrowserProcess["openPage"]>>["session"];

async function print(session: Session, html: string): Promise<string> {
  await session.send("Page.enable");
  const { frameTree } = await session.send("Page.getFrameTree");
  await session.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html });
  const { data } = await session.send("Page.printToPDF", { printBackground: true, preferCSSPageSize: true });
  return data;
}
