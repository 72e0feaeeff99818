import type { ModelRequest, Part } from './model.ts';

/** The parts of a request that hold `text` whole, in reading order. */
export function landed(request: ModelRequest, text: string): readonly Part[] {
  return request.parts.filter(part => part.text.includes(text));
}

/** How often `text` stands in the whole request, over all messages. */
export function occurrences(request: ModelRequest, text: string): number {
  return request.parts.reduce((sum, part) => sum + part.text.split(text).length - 1, 0);
}

/** Everything in the request but the given texts, as one string: to show that nothing else of ours went along. */
export function without(request: ModelRequest, texts: readonly string[]): string {
  const all = request.parts.map(part => part.text).join('\n');
  return texts.reduce((rest, text) => rest.split(text).join(''), all);
}
