/** Above this many changed lines on either side the middle is shown as one replacement. */
const MAX_LINES = 1500;
const CONTEXT = 3;

type Line = readonly [' ' | '-' | '+', string];

/**
 * Unified diff of two texts by lines, without a header. Line ends and a missing final one are shown as they are:
 * a carriage return as `␍`. Empty when the texts are equal.
 */
export function diffLines(before: string, after: string): string {
  if (before === after) return '';
  const a = split(before);
  const b = split(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const middle = changes(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const keep = (line: string): Line => [' ', line];
  const all = [...a.slice(0, head).map(keep), ...middle, ...a.slice(a.length - tail).map(keep)];
  return hunks(all);
}

function split(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map(line => line.replace(/\r$/, '␍'));
  const last = lines.pop()!;
  return last === '' ? lines : [...lines, `${last} (no line end)`];
}

/** Longest common subsequence by the plain table: settings files are small. */
function changes(a: readonly string[], b: readonly string[]): Line[] {
  const gone = (line: string): Line => ['-', line];
  const come = (line: string): Line => ['+', line];
  if (a.length > MAX_LINES || b.length > MAX_LINES) return [...a.map(gone), ...b.map(come)];
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      table[at] = a[i] === b[j] ? table[at + width + 1]! + 1 : Math.max(table[at + width]!, table[at + 1]!);
    }
  }
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const at = i * width + j;
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push([' ', a[i]!]);
      i++;
      j++;
    } else if (i < a.length && (j === b.length || table[at + width]! >= table[at + 1]!)) out.push(gone(a[i++]!));
    else out.push(come(b[j++]!));
  }
  return out;
}

function hunks(lines: readonly Line[]): string {
  const near = lines.map(() => false);
  lines.forEach(([sign], at) => {
    if (sign === ' ') return;
    for (let k = Math.max(0, at - CONTEXT); k <= Math.min(lines.length - 1, at + CONTEXT); k++) near[k] = true;
  });
  const out: string[] = [];
  lines.forEach(([sign, line], at) => {
    if (!near[at]) return;
    if (!near[at - 1]) out.push(`@@ line ${lines.slice(0, at).filter(([other]) => other !== '+').length + 1} @@`);
    out.push(`${sign}${line}`);
  });
  return out.join('\n');
}
