/** Reports of an audit as files: which ones were requested, and writing them. */
import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { App } from "../../app/app.ts";
import { reportData } from "../../app/report/report-data.ts";
import { TrawlError } from "../../errors.ts";

export interface ReportFiles {
  html?: string;
  pdf?: string;
  sarif?: string;
  junit?: string;
  markdown?: string;
}

/** Findings of each rule that a report lists: for people, and for programs, which take any number. */
const LISTED = 50;
const ALL = 10_000;

export function addReportOptions(command: Command): Command {
  return command
    .addOption(new Option("--sarif <file>", "Write what the audit found as SARIF, for code scanning."))
    .addOption(new Option("--junit <file>", "Write it as JUnit XML, with a test for each rule."))
    .addOption(new Option("--markdown <file>", "Write a summary for a pull request."));
}

export async function writeReports(app: App, id: number, files: ReportFiles): Promise<string[]> {
  const written: string[] = [];
  const put = (file: string, content: string | Uint8Array) => {
    try {
      writeFileSync(file, content);
    } catch (error) {
      throw new TrawlError("FILE_NOT_WRITABLE", `${file} cannot be written: ${(error as Error).message}`);
    }
    written.push(file);
  };
  if (files.html !== undefined || files.pdf !== undefined || files.markdown !== undefined) {
    const data = await reportData(app, id, LISTED);
    const { htmlReport } = await import("../../app/report/html-report.ts");
    if (files.html !== undefined) put(files.html, htmlReport(data));
    if (files.markdown !== undefined) {
      put(files.markdown, (await import("../../app/report/markdown-report.ts")).markdownReport(data));
    }
    if (files.pdf !== undefined) {
      put(files.pdf, await (await import("../../render/print-pdf.ts")).printPdf(htmlReport(data)));
    }
  }
  if (files.sarif !== undefined || files.junit !== undefined) {
    const data = await reportData(app, id, ALL);
    if (files.sarif !== undefined)
      put(files.sarif, (await import("../../app/report/sarif-report.ts")).sarifReport(data));
    if (files.junit !== undefined)
      put(files.junit, (await import("../../app/report/junit-report.ts")).junitReport(data));
  }
  return written;
}
