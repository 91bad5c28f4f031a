/** What codes mean, for what is printed. */
export { fetchErrorMeaning, reasonMeaning } from "../../../site/reason-texts.ts";
