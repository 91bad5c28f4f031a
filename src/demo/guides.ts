/** The guides: sections, their pages, and two print versions that name the real page as canonical. */
import { GUIDE_SECTIONS, type GuideSection } from "./data/guides.ts";
import { escapeHtml, layout, link, list, slug } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource } from "./resource.ts";

const PRINTED = new Set<string>([PLACES.printed, "/docs/knots/uni-knot/print"]);

export function* guidePages(origin: string): Generator<[string, Resource]> {
  yield ["/docs", htmlResource(contents(origin))];
  for (const section of GUIDE_SECTIONS) {
    yield [`/docs/${section.slug}`, htmlResource(sectionPage(origin, section))];
    for (let index = 0; index < section.guides.length; index++) {
      const path = guidePath(section, index);
      yield [path, htmlResource(guide(origin, section, index, false))];
      if (PRINTED.has(`${path}/print`)) yield [`${path}/print`, htmlResource(guide(origin, section, index, true))];
    }
  }
}

function guidePath(section: GuideSection, index: number): string {
  return `/docs/${section.slug}/${slug(section.guides[index]![0])}`;
}

function contents(origin: string): string {
  return layout({
    title: "Guides | Harbour & Line",
    description: "Knots, rigs, bait, casting, safety and upkeep, three steps each.",
    canonical: `${origin}/docs`,
    breadcrumbs: [["/", "Home"]],
    main: `<h1>Guides</h1>
${list(GUIDE_SECTIONS.map((section) => `${link(`/docs/${section.slug}`, section.name)}: ${escapeHtml(section.about)}`))}
<p>New here? ${link(PLACES.nesting, "How tides work")}.</p>`,
  });
}

function sectionPage(origin: string, section: GuideSection): string {
  const path = `/docs/${section.slug}`;
  const second = path === PLACES.severalHeadings ? "<h1>Before winter</h1>\n<h1>After every trip</h1>\n" : "";
  return layout({
    title: `${section.name} | Guides | Harbour & Line`,
    description: section.about,
    canonical: `${origin}${path}`,
    breadcrumbs: [
      ["/", "Home"],
      ["/docs", "Guides"],
    ],
    main: `<h1>${escapeHtml(section.name)}</h1>
<p>${escapeHtml(section.about)}</p>
${second}${list(section.guides.map(([title], index) => link(guidePath(section, index), title)))}`,
  });
}

function guide(origin: string, section: GuideSection, index: number, print: boolean): string {
  const [title, ...steps] = section.guides[index]!;
  const path = guidePath(section, index);
  const next = (index + 1) % section.guides.length;
  const also = PRINTED.has(`${path}/print`) && !print ? `<p>${link(`${path}/print`, "Print version")}</p>\n` : "";
  return layout({
    title: path === PLACES.withoutTitle ? undefined : `${title} | ${section.name} | Harbour & Line`,
    description: `${title} in three steps: ${steps[0]}`,
    canonical: `${origin}${path}`,
    breadcrumbs: [
      ["/", "Home"],
      ["/docs", "Guides"],
      [`/docs/${section.slug}`, section.name],
    ],
    main: `<h1>${escapeHtml(title)}</h1>
<ol>${steps.map((step) => `<li>${escapeHtml(step)}</li>`).join("")}</ol>
<p>This belongs to <em>${escapeHtml(section.name.toLowerCase())}</em>. ${escapeHtml(section.about)}</p>
${also}<p>Next: ${link(print ? guidePath(section, next) : slug(section.guides[next]![0]), section.guides[next]![0])}</p>`,
  });
}
