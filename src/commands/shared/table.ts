/** Left-aligned columns with two blanks between; the last one is cut to the width. Cells are already sanitised. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map(row => length(row[at] ?? ''))));
  return all
    .map(row =>
      cut(
        row
          .map((cell, at) => pad(cell, widths[at]!))
          .join('  ')
          .trimEnd(),
        width,
      ),
    )
    .join('\n');
}

const length = (text: string) => [...text].length;
const pad = (text: string, to: number) => text + ' '.repeat(Math.max(0, to - length(text)));

function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}
