import fc from 'fast-check';

/** A JSON value whose objects keep repeated keys and whose literals keep their spelling. */
type Value =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Value[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Value])[] };

/** Choices of the writer, consumed one by one, so that fast-check can shrink them. */
export interface Style {
  readonly eol: '\n' | '\r\n';
  readonly unit: string;
  readonly bom: boolean;
  readonly finalNewline: boolean;
  readonly oneLine: boolean;
  readonly comments: boolean;
  /** Numbers that decide about commas, comments and breaks; read in a circle. */
  readonly dice: readonly number[];
}

const literal = fc
  .oneof(
    fc.constantFrom('true', 'false', 'null', '0', '-1.50', '1e3', '12345678901234567890', '""', '"\\u0041\\/x"'),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => JSON.stringify(text)),
    fc
      .constantFrom('// not a comment', '/* nor this */', ',]}', 'preturn-hook', 'hooks')
      .map(text => JSON.stringify(text)),
  )
  .map((text): Value => ({ kind: 'literal', text }));

const key = fc.oneof(
  fc.constantFrom('env', 'permissions', 'model', 'hooks ', '__proto__', 'Stop', ''),
  fc.string({ maxLength: 6 }),
);

const value = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    literal,
    fc.array(tie('value'), { maxLength: 3 }).map((items): Value => ({ kind: 'array', items })),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((members): Value => ({ kind: 'object', members })),
  ),
})).value;

const text = (content: string): Value => ({ kind: 'literal', text: JSON.stringify(content) });
const object = (members: readonly (readonly [string, Value])[]): Value => ({ kind: 'object', members });
const array = (items: readonly Value[]): Value => ({ kind: 'array', items });

const foreignEntry = fc
  .tuple(fc.constantFrom('/usr/bin/other', 'echo preturn-hook', 'node "$HOME/x.js" /a/preturn-hook', ''), value)
  .map(([command, extra]) =>
    object([
      ['type', text('command')],
      ['command', text(command)],
      ['x', extra],
    ]),
  );

const foreignGroup = fc
  .tuple(fc.boolean(), fc.array(fc.oneof(foreignEntry, value), { maxLength: 2 }))
  .map(([matcher, entries]) =>
    object([...(matcher ? [['matcher', text('*')] as const] : []), ['hooks', array(entries)]]),
  );

const groups = fc.array(fc.oneof({ weight: 4, arbitrary: foreignGroup }, { weight: 1, arbitrary: value }), {
  maxLength: 3,
});

const hooks = fc
  .uniqueArray(fc.tuple(fc.constantFrom('UserPromptSubmit', 'Stop', 'SessionEnd', 'PreToolUse'), groups), {
    maxLength: 3,
    selector: one => one[0],
  })
  .map(events => object(events.map(([event, list]) => [event, array(list)] as const)));

const root = fc
  .tuple(
    fc.array(fc.tuple(key, value), { maxLength: 3 }),
    fc.option(hooks),
    fc.array(fc.tuple(key, value), { maxLength: 2 }),
  )
  .map(([before, own, after]) => {
    const clean = (members: readonly (readonly [string, Value])[]) => members.filter(([name]) => name !== 'hooks');
    return object([...clean(before), ...(own ? [['hooks', own] as const] : []), ...clean(after)]);
  });

const style: fc.Arbitrary<Style> = fc.record({
  eol: fc.constantFrom('\n' as const, '\r\n' as const),
  unit: fc.constantFrom('  ', '    ', '\t', '', ' '),
  bom: fc.boolean(),
  finalNewline: fc.boolean(),
  oneLine: fc.boolean(),
  comments: fc.boolean(),
  dice: fc.array(fc.nat(11), { minLength: 1, maxLength: 40 }),
});

/** A settings file as people and programs leave them: legal for a tolerant reader, odd in every permitted way. */
export const settingsText: fc.Arbitrary<string> = fc.tuple(root, style).map(([tree, how]) => write(tree, how));

function write(tree: Value, how: Style): string {
  let turn = 0;
  const die = () => how.dice[turn++ % how.dice.length]!;
  const comment = (inLine: boolean) => {
    if (!how.comments) return '';
    const face = die();
    if (face === 0) return '/* a, "b": { */';
    if (face === 1 && !how.oneLine && !inLine) return `// note: "x", ]  ${how.eol}`;
    if (face === 2 && !how.oneLine) return `/* two${how.eol}lines */`;
    return '';
  };
  const put = (node: Value, indent: string): string => {
    if (node.kind === 'literal') return node.text;
    const inner = indent + how.unit;
    const parts =
      node.kind === 'array'
        ? node.items.map(item => put(item, inner))
        : node.members.map(
            ([name, item]) =>
              `${JSON.stringify(name)}${die() === 3 ? ' ' : ''}:${how.oneLine ? '' : ' '}${put(item, inner)}`,
          );
    const [open, close] = node.kind === 'array' ? '[]' : '{}';
    const broken = !how.oneLine && die() !== 4;
    const gap = broken ? how.eol + inner : die() < 6 ? '' : ' ';
    if (parts.length === 0) return `${open}${comment(true)}${die() === 5 && broken ? how.eol + indent : ''}${close}`;
    const body = parts.map((part, at) => {
      const last = at === parts.length - 1;
      const comma = last ? (how.comments && die() === 6 ? ',' : '') : ',';
      return gap + comment(true) + part + (die() === 7 ? ' ' : '') + comment(false) + comma + comment(false);
    });
    return open + body.join('') + (broken ? how.eol + indent : '') + close;
  };
  return (
    (how.bom ? '\uFEFF' : '') + comment(false) + put(tree, '') + comment(false) + (how.finalNewline ? how.eol : '')
  );
}
