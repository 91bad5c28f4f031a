/** Settings that become request headers: refused before the crawl starts if HTTP cannot send them. */
import { z } from "zod";

const LONGEST = 16_384;
const MOST = 100;
/** RFC 9110, 5.6.2. */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
/** The HTTP client, not a setting, decides where a request ends and what follows it. */
const FRAMING = /^(?:content-length|expect|keep-alive|transfer-encoding|upgrade)$/i;

/** RFC 9110, 5.5. */
export const headerValue = () =>
  z
    .string()
    .max(LONGEST)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "HTTP can only send Latin letters, digits, punctuation, spaces and tabs here");

export const headersSetting = z
  .record(z.string(), headerValue())
  .refine((given) => Object.keys(given).length <= MOST, `at most ${MOST} headers`)
  .superRefine((given, problems) => {
    for (const name of Object.keys(given)) {
      const message = nameProblem(name);
      if (message !== null) problems.addIssue({ code: "custom", message, path: [name] });
    }
  });

function nameProblem(name: string): string | null {
  if (!NAME.test(name)) return "not the name of a header";
  return FRAMING.test(name) ? "this header cannot be changed" : null;
}
