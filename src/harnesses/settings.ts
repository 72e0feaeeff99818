import type { Node } from 'jsonc-parser';
import { applyInsertions, type Doc, type Insertion, parseDoc, problemAt, property } from './jsonc.ts';
import { append, layoutOf, remove } from './jsonc-edit.ts';

/** Which events our hook stands under, and with what limit. */
export interface HookEvent {
  readonly event: string;
  /** The harness's own unit; Claude Code and Codex count seconds. */
  readonly timeout: number;
}

/** One entry of ours in a settings document. */
export interface OwnEntry {
  readonly event: string;
  /** Places in `hooks.<event>` and in that group's `hooks`, from 0: Codex's trust keys name them. */
  readonly group: number;
  readonly index: number;
  readonly command: string;
  readonly timeout: number | undefined;
}

interface Place {
  readonly entry: OwnEntry;
  readonly events: Node;
  readonly groups: Node;
  readonly group: Node;
  readonly list: Node;
  readonly node: Node;
}

/**
 * Whether a command runs our launcher: its first word is an absolute path (or one below `$HOME`) that ends in
 * `/preturn-hook`. The name is the mark by which install, uninstall and doctor know their own entries.
 */
export function isOwnCommand(command: unknown): command is string {
  return typeof command === 'string' && /^\s*(["']?)(\/|\$HOME\/)([^"']*\/)?preturn-hook\1(\s|$)/.test(command);
}

/** Every entry of ours, in the document's order. @throws JsoncProblem */
export function ownEntries(text: string): OwnEntry[] {
  return places(parseDoc(text)).map(place => place.entry);
}

/** What an install would do to a document. */
export interface SettingsPlan {
  readonly text: string;
  /** Present when the change consists of insertions alone: then it can be undone to the byte. */
  readonly insertions: readonly Insertion[] | undefined;
  /** Containers that we created: `hooks`, `hooks.UserPromptSubmit`, … */
  readonly containers: readonly string[];
}

/**
 * Adds our entry under each event, or brings an existing one up to date in its place. Repeated entries go.
 * An unchanged document comes back as it was.
 *
 * @throws JsoncProblem when the text does not parse or holds another shape where hooks belong
 */
export function addOwn(text: string, events: readonly HookEvent[], command: string): SettingsPlan {
  const updated = updateOwn(text, events, command);
  const doc = parseDoc(updated);
  checkShape(doc, events);
  const present = new Set(places(doc).map(place => place.entry.event));
  const missing = events.filter(({ event }) => !present.has(event));
  const { insertions, containers } = additions(doc, missing, command);
  return {
    text: applyInsertions(updated, insertions),
    insertions: updated === text ? insertions : undefined,
    containers,
  };
}

/**
 * Removes our entries, and the containers that this empties if they are in `containers` (all of them when it is
 * undefined: nothing is known about their origin).
 *
 * @throws JsoncProblem
 */
export function removeOwn(text: string, containers: readonly string[] | undefined): string {
  let out = text;
  for (;;) {
    const doc = parseDoc(out);
    const place = places(doc)[0];
    if (!place) return out;
    out = removePlace(doc, place, containers);
  }
}

/** @throws JsoncProblem when hooks stand where no harness would read them: adding ours would change their meaning */
function checkShape(doc: Doc, events: readonly HookEvent[]): void {
  if (!doc.root) return;
  if (doc.root.type !== 'object') throw problemAt(doc, doc.root, 'the file does not hold an object');
  const hooks = property(doc.root, 'hooks');
  if (!hooks) return;
  if (hooks.type !== 'object') throw problemAt(doc, hooks, '`hooks` is not an object');
  for (const { event } of events) {
    const groups = property(hooks, event);
    if (groups && groups.type !== 'array') throw problemAt(doc, groups, `\`hooks.${event}\` is not an array`);
  }
}

function additions(doc: Doc, missing: readonly HookEvent[], command: string) {
  const group = ({ timeout }: HookEvent) => ({ hooks: [{ type: 'command', command, timeout }] });
  const all = () => Object.fromEntries(missing.map(one => [one.event, [group(one)]]));
  const insertions: Insertion[] = [];
  const containers: string[] = [];
  if (missing.length === 0) return { insertions, containers };
  const layout = layoutOf(doc);
  const hooks = property(doc.root, 'hooks');
  if (!doc.root) {
    insertions.push({ offset: doc.text.length, text: newDocument(all()) });
    containers.push('', 'hooks');
  } else if (!hooks) {
    insertions.push(...append(doc, doc.root, [{ key: 'hooks', value: all() }], layout));
    containers.push('hooks');
  } else {
    const fresh = missing.filter(({ event }) => !property(hooks, event));
    for (const one of missing) {
      const groups = property(hooks, one.event);
      if (groups) insertions.push(...append(doc, groups, [{ value: group(one) }], layout));
    }
    if (fresh.length > 0) {
      const members = fresh.map(one => ({ key: one.event, value: [group(one)] }));
      insertions.push(...append(doc, hooks, members, layout));
    }
    containers.push(...fresh.map(({ event }) => `hooks.${event}`));
    insertions.sort((a, b) => a.offset - b.offset);
    return { insertions, containers };
  }
  containers.push(...missing.map(({ event }) => `hooks.${event}`));
  return { insertions, containers };
}

/** A whole settings file that holds nothing but our hooks. */
function newDocument(hooks: unknown): string {
  return `${JSON.stringify({ hooks }, null, 2)}\n`;
}

function updateOwn(text: string, events: readonly HookEvent[], command: string): string {
  let out = text;
  for (const { event, timeout } of events) {
    for (;;) {
      const doc = parseDoc(out);
      const [first, second] = places(doc).filter(place => place.entry.event === event);
      if (second) {
        out = removePlace(doc, second, []);
        continue;
      }
      const change = first && correction(first, command, timeout);
      if (!change) break;
      out = out.slice(0, change.offset) + change.text + out.slice(change.offset + change.length);
    }
  }
  return out;
}

/** The next value of an entry of ours to replace. A limit that the user raised stays; Codex revokes its trust on edits. */
function correction({ node }: Place, command: string, timeout: number) {
  const commandNode = property(node, 'command')!;
  if (commandNode.value !== command) return { ...span(commandNode), text: JSON.stringify(command) };
  const limit = property(node, 'timeout');
  const low = limit && (limit.type !== 'number' || limit.value < timeout);
  return low ? { ...span(limit), text: String(timeout) } : undefined;
}

function span(node: Node) {
  return { offset: node.offset, length: node.length };
}

function places(doc: Doc): Place[] {
  const events = property(doc.root, 'hooks');
  if (events?.type !== 'object') return [];
  const found: Place[] = [];
  for (const member of events.children ?? []) {
    const event = String(member.children?.[0]?.value);
    const groups = member.children?.[1];
    if (groups?.type !== 'array' || property(events, event) !== groups) continue;
    groups.children?.forEach((group, groupIndex) => {
      const list = property(group, 'hooks');
      if (list?.type !== 'array') return;
      list.children?.forEach((node, index) => {
        const command = property(node, 'command')?.value;
        if (!isOwnCommand(command)) return;
        const timeout = property(node, 'timeout')?.value;
        const entry = {
          event,
          group: groupIndex,
          index,
          command,
          timeout: typeof timeout === 'number' ? timeout : undefined,
        };
        found.push({ entry, events, groups, group, list, node });
      });
    });
  }
  return found;
}

/** Removes the smallest thing that is ours alone: the entry, its group, the event's array, the `hooks` object. */
function removePlace(doc: Doc, place: Place, containers: readonly string[] | undefined): string {
  const mine = (path: string) => containers === undefined || containers.includes(path);
  const { entry, events, groups, group, list, node } = place;
  // A group with more keys than `hooks`, or more entries than ours, is someone else's.
  if (list.children?.length !== 1 || group.children?.some(member => !isMatcher(member))) return remove(doc, list, node);
  if (groups.children?.length !== 1 || !mine(`hooks.${entry.event}`)) return remove(doc, groups, group);
  if (events.children?.length !== 1 || !mine('hooks')) return remove(doc, events, groups.parent!);
  return remove(doc, doc.root!, events.parent!);
}

/** A matcher says nothing without the hooks it selects, so it goes with our only entry. */
function isMatcher(member: Node): boolean {
  const key = member.children?.[0]?.value;
  return key === 'hooks' || key === 'matcher';
}
