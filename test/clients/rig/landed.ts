import type { ModelRequest, Part } from './model.ts';

/** The parts of a request that hold `text` whole, in reading order. */
export function landed(request: ModelRequest, text: string): readonly Part[] {
  if (text === '') throw new Error('Every part holds the empty text: nothing was printed.');
  return request.parts.filter(part => part.text.includes(text));
}

/** How often `text` stands in the whole request, over all messages. */
export function occurrences(request: ModelRequest, text: string): number {
  return request.parts.reduce((sum, part) => sum + part.text.split(text).length - 1, 0);
}

/** Fields of the request bodies that `parts` was read from. */
const READ = new Set(['system', 'messages', 'instructions', 'input']);

/**
 * Everything in the request but the given texts, as one string, tools and metadata included: to show that nothing else
 * of ours went along.
 */
export function without(request: ModelRequest, texts: readonly string[]): string {
  const all = request.parts.map(part => part.text).join('\n');
  const others = Object.entries(request.body).filter(([name]) => !READ.has(name));
  return texts.reduce((rest, text) => rest.split(text).join(''), all) + JSON.stringify(others);
}
