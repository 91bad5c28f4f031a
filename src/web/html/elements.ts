/** What is known of each HTML element, in tables indexed by `Tag.id`. */

import {
  BLOCK,
  CAPTION,
  CELL,
  CLOSES_PARAGRAPH,
  COLLECTED,
  DEFINITION,
  FORMATTING,
  HEADING,
  ITEM,
  LANDMARK,
  LIST,
  LIST_ITEM,
  METADATA,
  OPTION,
  OPTION_GROUP,
  PARAGRAPH,
  ROW,
  ROW_GROUP,
  SCOPE,
  SECTIONING,
  SILENT,
  SPACE,
  SPECIAL,
  STRUCTURE,
  TABLE,
  TRANSPARENT,
} from "./element-bits.ts";
import {
  BREAKS_OUT,
  ENTERS_FOREIGN,
  FOREIGN,
  INTEGRATION_POINT,
  PLAINTEXT,
  RAWTEXT,
  RCDATA,
  SCRIPT_DATA,
  VOID,
} from "./element-traits.ts";
import { TAG_IDS, tagNamed } from "./tag.ts";

type Groups = [bits: number, names: string][];

/** The bits of `element-bits.ts`; 0 for names that are not known. */
export const ELEMENTS = table([
  [
    BLOCK | SPECIAL | CLOSES_PARAGRAPH,
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup " +
      "main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form table hr xmp plaintext li dd dt",
  ],
  [BLOCK | SPECIAL, "body html tr td th tbody thead tfoot caption colgroup select iframe object"],
  [BLOCK, "legend option optgroup video audio canvas"],
  [SPACE, "br button img input svg textarea label wbr"],
  [SPECIAL, "applet area base basefont bgsound br button col embed frame frameset head img input keygen link"],
  [SPECIAL, "marquee meta noembed noframes noscript param script source style template textarea title track wbr"],
  [FORMATTING, "a b big code em font i nobr s small strike strong tt u"],
  [SILENT, "script style template noscript title iframe noembed noframes textarea"],
  [METADATA, "base basefont bgsound link meta noframes noscript script style template title"],
  [COLLECTED, "a area audio base button embed form frame h1 h2 iframe image img input link meta object script source"],
  [COLLECTED, "title track use video"],
  [LANDMARK, "nav header footer aside main"],
  [SECTIONING, "article aside main nav section"],
  [SCOPE, "applet caption html table td th marquee object template"],
  [TRANSPARENT, "address div p"],
  [PARAGRAPH, "p"],
  [LIST_ITEM, "li"],
  [DEFINITION, "dd dt"],
  [OPTION, "option"],
  [OPTION_GROUP, "optgroup"],
  [CELL, "td th"],
  [ROW, "tr"],
  [ROW_GROUP, "tbody thead tfoot"],
  [CAPTION, "caption colgroup"],
  [TABLE, "table template"],
  [HEADING, "h1 h2 h3 h4 h5 h6"],
  [ITEM, "li dd dt option optgroup td th caption tr tbody thead tfoot colgroup"],
  [STRUCTURE, "html head body"],
  [LIST, "ol ul menu dir"],
]);

/** The bits of `element-traits.ts`. */
export const TRAITS = table([
  [VOID, "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"],
  [RCDATA, "title textarea"],
  // `noscript` is not here: without scripting its content is markup (13.2.6.4.4).
  [RAWTEXT, "style xmp iframe noembed noframes"],
  [SCRIPT_DATA, "script"],
  [PLAINTEXT, "plaintext"],
  [ENTERS_FOREIGN, "svg math"],
  [INTEGRATION_POINT, "foreignobject desc title annotation-xml mi mo mn ms mtext"],
  [
    BREAKS_OUT,
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
      "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
  ],
  [FOREIGN, "svg math foreignobject desc annotation-xml mi mo mn ms mtext g path use symbol defs"],
  [FOREIGN, "a audio canvas font iframe image link script style title video"],
]);
// A name we do not know is most likely a name of SVG.
TRAITS[0] = FOREIGN;

function table(groups: Groups): Int32Array {
  const bits = new Int32Array(TAG_IDS);
  for (const [bit, names] of groups) for (const name of names.split(" ")) bits[tagNamed(name).id]! |= bit;
  return bits;
}
