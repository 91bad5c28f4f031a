/** Named sets of settings for the usual reasons to crawl. */

export interface Preset {
  id: string;
  label: string;
  description: string;
  settings: Record<string, unknown>;
}

export const PRESETS: readonly Preset[] = [
  {
    id: "standard",
    label: "Standard",
    description: "Links, sitemaps and resources of the whole site, politely.",
    settings: {},
  },
  {
    id: "quick",
    label: "Quick look",
    description: "The first 500 URLs, without files on other hosts: enough for a first look at a site.",
    settings: { maxUrls: 500, checkExternalResources: false },
  },
  {
    id: "gentle",
    label: "Gentle",
    description: "One request per second, one at a time: for small or shared servers.",
    settings: { rate: 1, parallelism: 1 },
  },
  {
    id: "links",
    label: "Broken links",
    description: "Also checks whether linked pages on other hosts exist.",
    settings: { checkExternalLinks: true },
  },
  {
    id: "rendered",
    label: "With JavaScript",
    description: "Runs each page in a browser: for sites that build their pages with JavaScript.",
    settings: { render: true },
  },
  {
    id: "page",
    label: "One page",
    description: "Only the start URL and its resources.",
    settings: { singlePage: true },
  },
];

export const presetNamed = (id: string | undefined): Preset =>
  PRESETS.find((preset) => preset.id === id) ?? PRESETS[0]!;
