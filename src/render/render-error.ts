/** Why one page could not be rendered: a fact about the page, so the crawl goes on. */

export const RENDER_ERRORS = {
  PAGE_CRASHED: "The page crashed its browser tab.",
  PAGE_HUNG: "The page did not answer, even after its scripts were stopped.",
  PAGE_NOT_SHOWN: "The browser would not show the document.",
} as const;

export type RenderErrorCode = keyof typeof RENDER_ERRORS;

export class RenderError extends Error {
  readonly code: RenderErrorCode;

  constructor(code: RenderErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? RENDER_ERRORS[code] : `${RENDER_ERRORS[code]} ${detail}`, options);
    this.name = "RenderError";
    this.code = code;
  }
}
