/** Page text inside HTML and XML: whatever a site says, it is shown and never run. */

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Characters that XML 1.0 cannot contain, even escaped; also those that reverse the direction of text. */
const REFUSED =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export const escaped = (text: string): string =>
  text.replace(REFUSED, "\ufffd").replace(/[&<>"']/g, (character) => ENTITIES[character]!);
