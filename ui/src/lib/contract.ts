/** The shapes of the API as types, taken from the server's operations: a change there changes them here, or does not compile. */
import type { z } from "zod";
import type {
  about,
  compare,
  config,
  crawling,
  crawls,
  issues,
  links,
  schedules,
  sql,
  urls,
  views,
} from "../../../src/app/operations/index.ts";

interface Schemas {
  input: z.ZodType;
  output: z.ZodType;
}
/** The output of an operation. */
export type Answer<Operation extends Schemas> = z.output<Operation["output"]>;
/** A row of an operation that answers with a list. */
export type Row<Operation extends Schemas> = Answer<Operation> extends { rows: (infer Each)[] } ? Each : never;
/** The input of an operation; what has a default may be left out. */
export type Question<Operation extends Schemas> = z.input<Operation["input"]>;

export type Project = Row<typeof crawls.listProjects>;
export type CrawlInfo = Row<typeof crawls.listProjectCrawls>;
export type CrawlState = CrawlInfo["state"];
export type CrawlProgress = Row<typeof crawling.listActiveCrawls>;
export type LiveCrawl = Answer<typeof crawling.getLiveCrawl>;
export type LiveHost = LiveCrawl["hosts"][number];
export type StartCrawl = Question<typeof crawling.startCrawl>;
export type StartedCrawl = Answer<typeof crawling.startCrawl>;
export type StoppedCrawl = Answer<typeof crawling.stopCrawl>;
export type CrawlResults = Answer<typeof crawls.getCrawl>;
export type DescribedCrawl = Answer<typeof crawls.describeCrawl>;
export type Overview = Answer<typeof crawls.getOverview>;
export type Config = Answer<typeof config.getConfig>;
export type ConfigUpdate = Question<typeof config.updateConfig>;
export type Setting = Row<typeof config.listSettings>;
export type SettingsCheck = Answer<typeof config.validateSettings>;
export type RulesTest = Question<typeof config.testRules>;
export type RulesVerdict = Row<typeof config.testRules>;
export type Field = Row<typeof urls.listFields>;
export type UrlsQuery = Omit<Question<typeof urls.listUrls>, "id">;
export type UrlsPage = Answer<typeof urls.listUrls>;
export type UrlViews = Question<typeof urls.countUrls>["views"];
export type UrlCounts = Answer<typeof urls.countUrls>;
export type UrlRow = UrlsPage["rows"][number];
export type UrlDetail = Answer<typeof urls.getUrl>;
export type UrlWhy = Answer<typeof urls.whyUrl>;
export type UrlHistory = Row<typeof urls.getUrlHistory>[];
export type PageText = Answer<typeof urls.getPageText>;
export type PageSource = Answer<typeof urls.getPageSource>;
export type LinksQuery = Omit<Question<typeof links.listLinks>, "id">;
export type LinksPage = Answer<typeof links.listLinks>;
export type Graph = Answer<typeof links.getGraph>;
export type Structure = Answer<typeof links.getStructure>;
export type StructureEntry = Structure["children"][number]["children"][number];
export type TreeQuery = Omit<Question<typeof links.getTree>, "id">;
export type Tree = Answer<typeof links.getTree>;
export type DecisionsQuery = Omit<Question<typeof urls.listDecisions>, "id">;
export type Decisions = Answer<typeof urls.listDecisions>;
export type IssueList = Answer<typeof issues.listIssues>;
export type Issue = IssueList["rows"][number];
export type Severity = Issue["severity"];
export type Priority = Issue["priority"];
export type FindingsQuery = Omit<Question<typeof issues.listFindings>, "id" | "rule">;
export type Findings = Answer<typeof issues.listFindings>;
export type Finding = Findings["rows"][number];
export type FindingState = NonNullable<FindingsQuery["state"]>;
export type IssueTrend = Answer<typeof issues.getIssueTrend>;
export type Acceptances = Answer<typeof issues.listAcceptances>;
export type NewAcceptance = Omit<Question<typeof issues.acceptFindings>, "id">;
export type LinkSearchQuery = Omit<Question<typeof links.searchLinks>, "id" | "limit" | "cursor">;
export type LinkSearchPage = Answer<typeof links.searchLinks>;
export type LinkOfCrawl = LinkSearchPage["rows"][number];
export type CompareQuery = Omit<Question<typeof compare.compareCrawls>, "id" | "other">;
export type Comparison = Answer<typeof compare.compareCrawls>;
export type SqlQuestion = Omit<Question<typeof sql.querySql>, "id">;
export type SqlAnswer = Answer<typeof sql.querySql>;
export type SqlTable = Row<typeof sql.listTables>;
export type SavedView = Row<typeof views.listViews>;
export type NewView = Question<typeof views.saveView>;
export type Schedule = Row<typeof schedules.listSchedules>;
export type ScheduleRule = Omit<Question<typeof schedules.setSchedule>, "projectId">;
export type CronPreview = Answer<typeof schedules.previewCron>;
export type UpdateCheck = Answer<typeof about.checkForUpdate>;
export type InstalledUpdate = Answer<typeof about.installUpdate>;
export type Version = Answer<typeof about.getVersion>;
