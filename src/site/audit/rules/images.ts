/** Rules about images and media. */
import { ruleGroup } from "../rule.ts";

export const IMAGE_RULES = ruleGroup("Images", "https://developers.google.com/search/docs/appearance/google-images", {
  "img.broken": {
    name: "Broken image",
    ...{ severity: "error", priority: "medium", phase: "graph", on: "image" },
    when: "status >= 400 OR (error IS NOT NULL AND error <> 'challenge')",
    evidence: "coalesce(status, error) || coalesce(', used on ' || found_on, '')",
    why: "Visitors see a gap.",
    fix: "Upload the image, or correct its address.",
  },
  "img.too_big": {
    name: "Large image",
    ...{ severity: "notice", priority: "medium", on: "image" },
    thresholds: { imageMaxBytes: 100_000 },
    when: "internal = 'Yes' AND status = 200 AND content_type LIKE 'image/%' AND size > $imageMaxBytes",
    evidence: "size || ' bytes'",
    why: "Large images make pages slow, most of all on phones.",
    fix: "Scale it down, compress it, or use WebP or AVIF.",
    link: "https://web.dev/articles/uses-optimized-images",
  },
  "img.alt_attr_missing": {
    name: "Images without alt",
    ...{ severity: "error", priority: "low", on: "indexable" },
    when: "images_no_alt > 0",
    evidence: "images_no_alt || ' of ' || images || iif(images = 1, ' image', ' images')",
    why: "Screen readers read the file name instead, and image search has less to go by.",
    fix: 'Describe the image in alt, or write alt="" if it is only decoration.',
  },
  "img.alt_too_long": {
    name: "Long alt texts",
    ...{ severity: "notice", priority: "low", on: "indexable" },
    thresholds: { altMaxChars: 100 },
    when: "longest_alt > $altMaxChars",
    evidence: "longest_alt || ' characters'",
    why: "Screen readers read the whole text, and cannot skip parts of it.",
    fix: "Say it shorter, and put the rest beside the image.",
  },
  "img.no_dimensions": {
    name: "Images without width and height",
    ...{ severity: "notice", priority: "low", on: "indexable" },
    when: "images_no_size > 0",
    evidence: "images_no_size || ' of ' || images || iif(images = 1, ' image', ' images')",
    why: "The page jumps when they are loaded.",
    fix: "Give each img its width and height.",
    link: "https://web.dev/articles/optimize-cls",
  },
  "img.no_modern_format": {
    name: "No WebP or AVIF",
    ...{ severity: "notice", priority: "low", phase: "site", on: "host" },
    thresholds: { modernFromImages: 5 },
    query: `SELECT a.id AS id, count(*) || ' images' AS evidence FROM audit_hosts a JOIN judged j ON j.host = a.host
      WHERE j.as_image AND j.status = 200 AND j.content_type LIKE 'image/%' AND j.content_type NOT LIKE 'image/svg%'
        AND j.kind = 'image'
      GROUP BY a.host HAVING count(*) >= $modernFromImages AND sum(j.content_type IN ('image/webp', 'image/avif')) = 0`,
    why: "WebP and AVIF show the same with a third of the bytes.",
    fix: "Convert photos to WebP or AVIF.",
    link: "https://web.dev/articles/uses-webp-images",
  },

  "img.alt_duplicate": {
    name: "Images with the same alt text",
    ...{ severity: "notice", priority: "low", on: "indexable" },
    when: "images_same_alt > 0",
    evidence: "images_same_alt || iif(images_same_alt = 1, ' image', ' images')",
    why: "Who cannot see the images cannot tell them apart.",
    fix: "Say what each of them shows.",
  },
  "img.alt_empty_informative": {
    name: "Large image marked as decoration",
    ...{ severity: "notice", priority: "low", on: "indexable" },
    when: "images_empty_alt_large > 0",
    evidence: "images_empty_alt_large || iif(images_empty_alt_large = 1, ' image', ' images')",
    why: "An image of this size is rarely only decoration, and screen readers skip it.",
    fix: "Describe it in alt if it says something.",
  },
  "video.no_poster": {
    name: "Video without a poster",
    ...{ severity: "notice", priority: "low", on: "page" },
    when: "videos_no_poster > 0",
    evidence: "videos_no_poster || iif(videos_no_poster = 1, ' video', ' videos')",
    why: "Visitors see an empty box until the video is loaded.",
    fix: "Add a poster image.",
    link: "https://developer.mozilla.org/docs/Web/HTML/Element/video#poster",
  },
});
