import { type ParseError, printParseErrorCode } from 'jsonc-parser';

/** Line and column of an offset, both from 1, as editors count them; the column counts UTF-16 units. */
export function place(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: lines[lines.length - 1]!.replace('\uFEFF', '').length + 1 };
}

/** `CommaExpected` → `comma expected`. */
export function describeParseError(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}
