/** Session ids in addresses: the same page under a new address for each visit. */

/**
 * A name that is often used for other things counts only with a value that no person would write: a long one made of
 * letters and digits.
 */
const TOKEN_NAMES = /^(?:s|sid|sess|session|sessid)=/i;
const TOKEN = /^(?=[^=]*=[^=]*\d)[^=]+=[0-9a-z,_-]{24,128}$/i;

/** A query pair, such as `sid=0123456789abcdef0123456789abcdef`. */
export const isSessionPair = (pair: string): boolean => TOKEN_NAMES.test(pair) && TOKEN.test(pair);

/** `/cart;jsessionid=1A2B`, and `/(S(lit3py55t21z5v55vlm25s55))/cart` of ASP.NET. */
const PATH_PARAMETER = /;(?:jsessionid|phpsessid|sessionid|sid)=[^/;]*/gi;
const PATH_SEGMENT = /\/\((?:[A-Z]\([0-9A-Za-z_-]{8,200}\))+\)(?=\/)/g;

export function withoutSessionId(path: string): string {
  if (path.includes(";")) return path.replace(PATH_PARAMETER, "").replace(PATH_SEGMENT, "");
  return path.includes("/(") ? path.replace(PATH_SEGMENT, "") : path;
}
