/** Reads CSV as a spreadsheet does (RFC 4180): a separate reader, so that the writer is not checked against itself. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') cell += text[++index];
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "," || character === "\n") {
      row.push(cell);
      cell = "";
      if (character === "\n") {
        rows.push(row);
        row = [];
      }
    } else cell += character;
  }
  return rows;
}
