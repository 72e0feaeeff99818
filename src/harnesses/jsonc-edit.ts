import { createScanner, type Node, type SyntaxKind } from 'jsonc-parser';
import type { Doc, Insertion } from './jsonc.ts';

// jsonc-parser declares a `const enum`, which isolated modules cannot read.
const COMMA = 5 as SyntaxKind;
const LINE_COMMENT = 12 as SyntaxKind;
const BLOCK_COMMENT = 13 as SyntaxKind;
const LINE_BREAK = 14 as SyntaxKind;
const TRIVIA = 15 as SyntaxKind;

export interface Layout {
  /** Line end of the document. */
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  /** The document is written on one line; so is what we add. */
  readonly compact: boolean;
}

export function layoutOf(doc: Doc): Layout {
  const eol = /\r\n|\n/.exec(doc.text)?.[0] ?? '\n';
  const first = doc.root?.children?.[0];
  const compact = first !== undefined && !/\n/.test(doc.text.slice(doc.root!.offset, first.offset + first.length));
  const own = first && ownLineIndent(doc.text, first.offset);
  const base = doc.root ? lineIndent(doc.text, doc.root.offset) : '';
  const unit = own === undefined ? '  ' : own.startsWith(base) ? own.slice(base.length) : own;
  // JSON.stringify takes at most 10 characters.
  return { eol, unit: unit.length > 10 ? '  ' : unit, compact };
}

/** What is appended: a member of an object when `key` is there, else an element of an array. */
export interface Member {
  readonly key?: string;
  readonly value: unknown;
}

/** Appends members (at least one) behind the last child of a container. */
export function append(doc: Doc, container: Node, members: readonly Member[], layout: Layout): Insertion[] {
  const { text } = doc;
  const last = container.children?.at(-1);
  if (!last) return [intoEmpty(text, container, members, layout)];

  const own = ownLineIndent(text, last.offset);
  const tail = tailOf(text, last, container);
  // Behind a line comment only a new line is safe.
  const onNewLine = own !== undefined || tail.endsInLineComment;
  const indent = own ?? lineIndent(text, container.offset) + layout.unit;
  const lead = onNewLine ? layout.eol + indent : layout.compact ? '' : ' ';
  const body = members.map(one => lead + render(one, layout, own === undefined ? undefined : indent)).join(',');
  if (tail.comma) return [{ offset: tail.end, text: `${body},` }];
  const lastEnd = last.offset + last.length;
  if (tail.end === lastEnd) return [{ offset: lastEnd, text: `,${body}` }];
  return [
    { offset: lastEnd, text: ',' },
    { offset: tail.end, text: body },
  ];
}

function intoEmpty(text: string, container: Node, members: readonly Member[], layout: Layout): Insertion {
  const offset = container.offset + 1;
  if (layout.compact) return { offset, text: members.map(one => render(one, layout, undefined)).join(',') };
  const outer = lineIndent(text, container.offset);
  const indent = outer + layout.unit;
  const body = members.map(one => layout.eol + indent + render(one, layout, indent)).join(',');
  const inner = text.slice(offset, container.offset + container.length - 1);
  // `{⏎}` already has the line break that the closing bracket needs.
  return { offset, text: /^[ \t]*\r?\n\s*$/.test(inner) ? body : body + layout.eol + outer };
}

/** @param indent of the line the value starts on; undefined renders on one line */
function render({ key, value }: Member, layout: Layout, indent: string | undefined): string {
  const json =
    indent === undefined || layout.compact
      ? JSON.stringify(value)
      : JSON.stringify(value, null, layout.unit || ' ').replace(/\n/g, layout.eol + indent);
  return key === undefined ? json : JSON.stringify(key) + (layout.compact ? ':' : ': ') + json;
}

/** Removes a child (a property node, or an array element) with its comma and the white space in front of it. */
export function remove(doc: Doc, container: Node, child: Node): string {
  const { text } = doc;
  const start = child.offset;
  const end = child.offset + child.length;
  const tail = tailOf(text, child, container);
  const siblings = container.children ?? [];
  const index = siblings.indexOf(child);
  const cuts: (readonly [number, number])[] = [];
  if (tail.comma) cuts.push([tail.comma.offset, tail.comma.offset + 1]);
  else if (index > 0) {
    const comma = tailOf(text, siblings[index - 1]!, container).comma;
    if (comma) cuts.push([comma.offset, comma.offset + 1]);
  }
  const lead = lastToken(text, container.offset, start);
  const afterCut = tail.comma ? tail.comma.offset + 1 : end;
  const closes = /^[ \t]*(\r?\n|$)/.test(text.slice(afterCut));
  // What would stand behind a line comment if its line break went becomes part of the comment.
  let from = lead.lineComment && !closes ? start : lead.end;
  let to = end;
  if (siblings.length === 1) {
    const close = container.offset + container.length - 1;
    const before = text.slice(container.offset + 1, from);
    const after = text.slice(afterCut, close);
    if (before.trim() === '' && after.trim() === '') {
      from = container.offset + 1;
      to = close;
      cuts.length = 0;
    }
  }
  cuts.push([from, to]);
  let out = text;
  for (const [a, b] of cuts.sort((x, y) => y[0] - x[0])) out = out.slice(0, a) + out.slice(b);
  return out;
}

interface Tail {
  /** The comma behind the child, if any. */
  readonly comma: { readonly offset: number } | undefined;
  /** Where a following sibling may go: behind the comma and the comments on the same line. */
  readonly end: number;
  readonly endsInLineComment: boolean;
}

/** What follows a child up to the end of its line. */
function tailOf(text: string, child: Node, container: Node): Tail {
  const scanner = createScanner(text, false);
  const close = container.offset + container.length - 1;
  let end = child.offset + child.length;
  scanner.setPosition(end);
  let comma: { offset: number } | undefined;
  let sameLine = true;
  let lineComment = false;
  for (;;) {
    const kind = scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= close) break;
    if (kind === COMMA && !comma) {
      comma = { offset };
      end = offset + 1;
      sameLine = true;
      lineComment = false;
    } else if (kind === LINE_BREAK) {
      sameLine = false;
    } else if (kind === LINE_COMMENT || kind === BLOCK_COMMENT) {
      if (!sameLine) continue;
      end = offset + scanner.getTokenLength();
      lineComment = kind === LINE_COMMENT;
      if (text.slice(offset, end).includes('\n')) sameLine = false;
    } else if (kind !== TRIVIA) {
      break;
    }
  }
  return { comma, end, endsInLineComment: lineComment };
}

/** End of the last token or comment that ends at or before `to`. */
function lastToken(text: string, from: number, to: number): { readonly end: number; readonly lineComment: boolean } {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let end = from;
  let lineComment = false;
  for (;;) {
    const kind = scanner.scan();
    if (scanner.getTokenOffset() >= to) return { end, lineComment };
    if (kind === TRIVIA || kind === LINE_BREAK) continue;
    end = scanner.getPosition();
    lineComment = kind === LINE_COMMENT;
  }
}

/** White space before `offset` on its line; undefined when something else stands there. */
function ownLineIndent(text: string, offset: number): string | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(start, offset);
  return start > 0 && /^[ \t]*$/.test(before) ? before : undefined;
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))![0];
}
