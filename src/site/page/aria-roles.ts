/** The roles that an element can have: WAI-ARIA 1.2 without abstract roles, DPUB-ARIA 1.1 and the graphics module. */

const ARIA = `alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid
gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox
menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup
rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion
superscript switch tab table tablist tabpanel term text textbox time timer toolbar tooltip tree treegrid treeitem`;
const DPUB = `abstract acknowledgments afterword appendix backlink biblioentry bibliography biblioref chapter colophon
conclusion cover credit credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary
glossref index introduction noteref notice pagebreak pagefooter pageheader pagelist part preface prologue pullquote qna
subtitle tip toc`;
const GRAPHICS = "document object symbol";

const ROLES: ReadonlySet<string> = new Set([
  ...ARIA.split(/\s+/),
  ...DPUB.split(/\s+/).map((role) => `doc-${role}`),
  ...GRAPHICS.split(" ").map((role) => `graphics-${role}`),
]);

/** The role that counts is the first that is known; null when none is (WAI-ARIA 1.2, 5.4). */
export const roleOf = (written: string): string | null =>
  written
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .find((role) => ROLES.has(role)) ?? null;
