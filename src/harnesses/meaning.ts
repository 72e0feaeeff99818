import type { Node } from 'jsonc-parser';
import { parseDoc, property } from './jsonc.ts';
import { isOwnCommand } from './settings.ts';

/** A value with its keys in order and repeated, numbers as spelled, strings by value (their escapes may differ). */
export type Meaning =
  | { readonly literal: string }
  | { readonly string: string }
  | { readonly array: readonly Meaning[] }
  | { readonly object: readonly (readonly [string, Meaning])[] };

/**
 * All that a settings document says besides our entries. Containers under `hooks` that hold nothing else count as
 * absent, because we may have made them. @throws JsoncProblem
 */
export function foreignMeaning(text: string): Meaning {
  const { root } = parseDoc(text);
  if (!root) return { object: [] };
  const hooks = property(root, 'hooks');
  const read = (node: Node) => plain(text, node);
  if (hooks?.type !== 'object') return read(root);

  const group = (node: Node): Meaning | undefined => {
    const list = property(node, 'hooks');
    if (list?.type !== 'array') return read(node);
    const entries = list.children ?? [];
    const others = entries.filter(entry => !isOwnCommand(property(entry, 'command')?.value));
    const bare = (node.children ?? []).every(member => ['hooks', 'matcher'].includes(keyOf(member)));
    if (others.length === 0 && entries.length > 0 && bare) return undefined;
    return members(node, value => (value === list ? { array: others.map(read) } : read(value)));
  };
  const event = (node: Node): Meaning | undefined => {
    if (node.type !== 'array') return read(node);
    const groups = (node.children ?? []).map(group).filter(one => one !== undefined);
    return groups.length > 0 ? { array: groups } : undefined;
  };
  return members(root, value => {
    if (value !== hooks) return read(value);
    const events = members(hooks, one => (property(hooks, keyOf(one.parent!)) === one ? event(one) : read(one)));
    return events.object.length > 0 ? events : undefined;
  });
}

function members(node: Node, read: (value: Node) => Meaning | undefined) {
  const kept = (node.children ?? []).map(member => [keyOf(member), read(member.children![1]!)] as const);
  return { object: kept.filter((one): one is readonly [string, Meaning] => one[1] !== undefined) };
}

function plain(text: string, node: Node): Meaning {
  const read = (child: Node) => plain(text, child);
  if (node.type === 'object') return members(node, read);
  if (node.type === 'array') return { array: (node.children ?? []).map(read) };
  if (node.type === 'string') return { string: String(node.value) };
  return { literal: text.slice(node.offset, node.offset + node.length) };
}

function keyOf(member: Node): string {
  return String(member.children?.[0]?.value);
}
