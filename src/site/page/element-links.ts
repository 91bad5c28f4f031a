/** The links in the attributes of an element of the body. */

import type { Attributes } from "../../web/html/index.ts";
import { srcsetUrls } from "../../web/srcset.ts";
import type { LinkCollector } from "./link-collector.ts";
import { relFlags } from "./link-flags.ts";

export function collectElementLinks(name: string, attributes: Attributes, links: LinkCollector): void {
  switch (name) {
    case "img":
    case "image":
      collectImage(attributes, links);
      break;
    case "script":
      // In SVG a script is named by `href`.
      links.add(attributes.get("src") ?? reference(attributes), "script");
      break;
    case "area":
      links.add(attributes.get("href"), "area", attributes.get("alt"), relFlags(attributes.get("rel")));
      break;
    case "source":
      links.add(attributes.get("src"), "media");
      addSrcset(attributes.get("srcset"), null, null, links);
      addSrcset(attributes.get("data-srcset"), null, null, links);
      break;
    case "video":
      links.add(attributes.get("src"), "media");
      links.add(attributes.get("poster"), "image");
      break;
    case "audio":
    case "track":
      links.add(attributes.get("src"), "media");
      break;
    case "object":
      links.add(attributes.get("data"), "object");
      break;
    case "embed":
      links.add(attributes.get("src"), "object");
      break;
    case "iframe":
    case "frame":
      links.add(attributes.get("src"), "iframe");
      break;
    case "form":
      links.add(attributes.get("action"), "form");
      break;
    case "button":
      links.add(attributes.get("formaction"), "form");
      break;
    case "input":
      if (attributes.get("type")?.toLowerCase() === "image") {
        links.add(attributes.get("src"), "image", attributes.get("alt"));
      }
      links.add(attributes.get("formaction"), "form");
      break;
    case "use":
      addUnlessFragment(reference(attributes), links);
      break;
  }
}

/** The `href` of an SVG element, in its old or new spelling. */
export function reference(attributes: Attributes): string | null {
  return attributes.get("href") ?? attributes.get("xlink:href");
}

function collectImage(attributes: Attributes, links: LinkCollector): void {
  const alt = attributes.get("alt");
  if (alt !== null) links.describeAnchor(alt);
  const src = attributes.get("src") ?? reference(attributes);
  links.add(src, "image", alt);
  // Pages that load images late keep the real one here, and a placeholder in `src`.
  const lazy = attributes.get("data-src");
  if (lazy !== src) links.add(lazy, "image", alt);
  addSrcset(attributes.get("srcset"), src, alt, links);
  addSrcset(attributes.get("data-srcset"), lazy ?? src, alt, links);
}

/** Every candidate but the one already known from `src`. */
function addSrcset(srcset: string | null, known: string | null, alt: string | null, links: LinkCollector): void {
  if (srcset !== null) for (const url of srcsetUrls(srcset)) if (url !== known) links.add(url, "image", alt);
}

/** `#icon` is a drawing in the page itself. */
function addUnlessFragment(url: string | null, links: LinkCollector): void {
  if (url !== null && !url.startsWith("#")) links.add(url, "image");
}
