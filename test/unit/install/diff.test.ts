import { expect, test } from 'vitest';
import { diffLines } from '../../../src/lib/diff.ts';

const lines = (...some: string[]) => `${some.join('\n')}\n`;

test('equal texts give nothing', () => expect(diffLines('a\n', 'a\n')).toBe(''));

test('shows the change with three lines around it, and where it is', () => {
  const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9');
  const after = lines('1', '2', '3', '4', '5', 'new', '6', '7', '8', '9');
  expect(diffLines(before, after)).toBe('@@ line 3 @@\n 3\n 4\n 5\n+new\n 6\n 7\n 8');
});

test('changes far apart are two hunks', () => {
  const before = lines(...'abcdefghijkl');
  const after = before.replace('a\n', 'A\n').replace('l\n', 'L\n');
  expect(diffLines(before, after)).toBe('@@ line 1 @@\n-a\n+A\n b\n c\n d\n@@ line 9 @@\n i\n j\n k\n-l\n+L');
});

test('carriage returns and a missing line end are visible', () => {
  expect(diffLines('a\r\nb', 'a\nb\n')).toBe('@@ line 1 @@\n-a␍\n-b (no line end)\n+a\n+b');
});

test('an empty side', () => expect(diffLines('', 'a\n')).toBe('@@ line 1 @@\n+a'));

test('very many lines are still shown whole', () => {
  const before = lines(...Array.from({ length: 1600 }, (_, i) => `x${i}`));
  const after = lines(...Array.from({ length: 1600 }, (_, i) => `y${i}`));
  expect(diffLines(before, after).split('\n')).toHaveLength(3201);
});
