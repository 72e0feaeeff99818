import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { describeParseError, place } from '../lib/json-place.ts';

/**
 * Lossless edits of a JSON document that people own: comments, trailing commas, byte order mark, line ends and
 * indentation stay. Pure: text in, text out. jsonc-parser finds the places; its own `modify` is not used, because it
 * re-formats neighbours and loses trailing commas.
 */
export interface Doc {
  readonly text: string;
  /** Undefined when the text is blank: a client reads that as no settings. */
  readonly root: Node | undefined;
}

/** A pure insertion: nothing that stood in the document is replaced. Offsets in UTF-16 units. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

export class JsoncProblem extends Error {
  readonly line: number;
  readonly column: number;
  constructor(why: string, text: string, offset: number) {
    super(why);
    const at = place(text, offset);
    this.line = at.line;
    this.column = at.column;
  }
}

/** @throws JsoncProblem with the place of the first fault */
export function parseDoc(text: string): Doc {
  // A blank of the same length keeps every offset right.
  const plain = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  if (plain.trim() === '') return { text, root: undefined };
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(plain, errors, { allowTrailingComma: true, disallowComments: false });
  } catch {
    throw new JsoncProblem('nested too deeply', text, 0);
  }
  const first = errors[0];
  if (first) throw new JsoncProblem(describeParseError(first), text, first.offset);
  if (!root) throw new JsoncProblem('there is no value', text, 0);
  return { text, root };
}

/** The value of a property; of repeated keys the last, as JSON.parse takes it. */
export function property(object: Node | undefined, key: string): Node | undefined {
  if (object?.type !== 'object') return undefined;
  return object.children?.findLast(child => child.children?.[0]?.value === key)?.children?.[1];
}

/** Where `offset` stands, as the problem that makes an edit impossible. */
export function problemAt(doc: Doc, node: Node, why: string): JsoncProblem {
  return new JsoncProblem(why, doc.text, node.offset);
}

/** @param insertions in order, offsets of the text before any of them */
export function applyInsertions(text: string, insertions: readonly Insertion[]): string {
  let out = '';
  let from = 0;
  for (const { offset, text: added } of insertions) {
    out += text.slice(from, offset) + added;
    from = offset;
  }
  return out + text.slice(from);
}

/** The inverse of applyInsertions; undefined when the text does not hold them. */
export function undoInsertions(text: string, insertions: readonly Insertion[]): string | undefined {
  let out = '';
  let from = 0;
  for (const { offset, text: added } of insertions) {
    const at = from + (offset - out.length);
    if (!text.startsWith(added, at)) return undefined;
    out += text.slice(from, at);
    from = at + added.length;
  }
  return out + text.slice(from);
}
