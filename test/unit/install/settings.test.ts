import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyInsertions, JsoncProblem, parseDoc, undoInsertions } from '../../../src/harnesses/jsonc.ts';
import { foreignMeaning } from '../../../src/harnesses/meaning.ts';
import { addOwn, isOwnCommand, ownEntries, removeOwn } from '../../../src/harnesses/settings.ts';
import { settingsText } from './generate.ts';

const COMMAND = '/data/preturn/bin/preturn-hook';
const EVENTS = [
  { event: 'UserPromptSubmit', timeout: 15 },
  { event: 'Stop', timeout: 15 },
];
const installed = (text: string) => addOwn(text, EVENTS, COMMAND).text;

describe('property: 1,000 generated settings files', () => {
  test('install keeps the meaning of everything else, is idempotent, and its inverse restores the text', () => {
    fc.assert(
      fc.property(settingsText, text => {
        const before = foreignMeaning(text);
        const plan = addOwn(text, EVENTS, COMMAND);
        expect(
          ownEntries(plan.text)
            .map(one => one.event)
            .sort(),
        ).toEqual(['Stop', 'UserPromptSubmit']);
        expect(foreignMeaning(plan.text)).toEqual(before);
        expect(plan.insertions).toBeDefined();
        expect(applyInsertions(text, plan.insertions!)).toBe(plan.text);
        expect(undoInsertions(plan.text, plan.insertions!)).toBe(text);
        expect(addOwn(plan.text, EVENTS, COMMAND).text).toBe(plan.text);
      }),
      { numRuns: 1000 },
    );
  });

  test('removal without the inverse leaves everything else, comments included', () => {
    fc.assert(
      fc.property(settingsText, text => {
        const plan = addOwn(text, EVENTS, COMMAND);
        const removed = removeOwn(plan.text, plan.containers);
        expect(ownEntries(removed)).toEqual([]);
        expect(foreignMeaning(removed)).toEqual(foreignMeaning(text));
        const solid = (some: string) => some.replace(/\s+/g, '');
        expect(solid(removed)).toBe(solid(text));
      }),
      { numRuns: 1000 },
    );
  });

  test('a new command replaces the old one in its place', () => {
    fc.assert(
      fc.property(settingsText, text => {
        const old = installed(text);
        const next = addOwn(old, EVENTS, `${COMMAND.replace('data', 'other')}`);
        expect(next.text).toBe(old.replaceAll(COMMAND, COMMAND.replace('data', 'other')));
        expect(next.insertions).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});

describe('layout', () => {
  const cases: [string, string, string][] = [
    ['two spaces', '{\n  "model": "x"\n}\n', '\n  "hooks": {\n    "UserPromptSubmit": ['],
    ['tabs', '{\n\t"model": "x"\n}\n', '\n\t"hooks": {\n\t\t"UserPromptSubmit": ['],
    ['CRLF', '{\r\n  "model": "x"\r\n}\r\n', '\r\n  "hooks": {\r\n    "UserPromptSubmit": ['],
    ['one line', '{"model":"x"}', '{"model":"x","hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command",'],
    ['trailing comma', '{\n  "model": "x",\n}', '"model": "x",\n  "hooks": {'],
    ['comment behind the last value', '{\n  "model": "x" // mine\n}', '"model": "x", // mine\n  "hooks": {'],
    ['empty object', '{}', '{\n  "hooks": {'],
    ['empty hooks', '{\n  "hooks": {}\n}', '"hooks": {\n    "UserPromptSubmit": ['],
  ];
  test.each(cases)('%s', (_, text, expected) => {
    expect(installed(text)).toContain(expected);
    const mixed = /\r\n/.test(text) ? installed(text).replace(/\r\n/g, '') : '';
    expect(mixed).not.toContain('\n');
  });

  test('a blank file becomes a whole one', () => {
    expect(JSON.parse(installed(''))).toEqual({
      hooks: Object.fromEntries(
        EVENTS.map(({ event, timeout }) => [event, [{ hooks: [{ type: 'command', command: COMMAND, timeout }] }]]),
      ),
    });
  });
});

describe('refusals carry line and column', () => {
  const cases: [string, string, number, number][] = [
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['a cut file', '{\n  "a": [1,', 2, 11],
    ['two documents', '{}\n{}', 2, 1],
    ['an array', '\n []', 2, 2],
    ['hooks of another type', '{"hooks": 1}', 1, 11],
    ['an event of another type', '{"hooks": {"Stop": {}}}', 1, 20],
    ['only a comment', '// nothing\n', 2, 1],
    ['an unterminated comment', '{ /* ', 1, 3],
    ['a bare word', '{"a": yes}', 1, 7],
  ];
  test.each(cases)('%s', (_, text, line, column) => {
    const error = (() => {
      try {
        installed(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(JsoncProblem);
    expect([(error as JsoncProblem).line, (error as JsoncProblem).column]).toEqual([line, column]);
  });

  test('nesting that exhausts the stack is refused, not a crash', () => {
    expect(() => installed('['.repeat(200_000))).toThrow(JsoncProblem);
  });

  test('the byte order mark does not shift the column', () => {
    const thrown = (() => {
      try {
        parseDoc('\uFEFF{"a": yes}');
      } catch (error) {
        return error;
      }
    })();
    expect((thrown as JsoncProblem).column).toBe(7);
  });
});

describe('own entries', () => {
  test.each([
    ['/a/b/preturn-hook', true],
    ['"/a b/preturn-hook"', true],
    ['"$HOME/.local/share/preturn/bin/preturn-hook" || true', true],
    ['/a/preturn-hook --harness codex', true],
    ['/a/my-preturn-hook', false],
    ['/a/preturn-hook.sh', false],
    ['echo /a/preturn-hook', false],
    ['preturn-hook', false],
    ['', false],
    [7, false],
  ])('%s → %s', (command, own) => {
    expect(isOwnCommand(command)).toBe(own);
  });

  test('repeated entries go, the first stays where it is', () => {
    const entry = `{"type":"command","command":"${COMMAND}","timeout":15}`;
    const text = `{"hooks":{"UserPromptSubmit":[{"hooks":[${entry},{"type":"command","command":"/x"}]},{"hooks":[${entry}]}],"Stop":[{"hooks":[${entry}]}]}}`;
    expect(installed(text)).toBe(text.replace(`,{"hooks":[${entry}]}],"Stop"`, '],"Stop"'));
  });

  test('ours inside a foreign group leaves alone', () => {
    const entry = `{"type":"command","command":"${COMMAND}"}`;
    const text = `{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"/x"}, ${entry}]}]}}`;
    expect(removeOwn(text, [])).toBe(text.replace(`, ${entry}`, ''));
  });

  test('a limit that is too low is raised, a higher one is kept, none is left to the client', () => {
    const limit = (text: string) => ownEntries(addOwn(text, [EVENTS[1]!], COMMAND).text)[0]?.timeout;
    const stop = (timeout: string) => `{"hooks":{"Stop":[{"hooks":[{"command":"${COMMAND}"${timeout}}]}]}}`;
    expect([limit(stop(',"timeout":5')), limit(stop(',"timeout":60')), limit(stop(''))]).toEqual([15, 60, undefined]);
  });

  test('of repeated keys the last counts', () => {
    const text = '{"hooks":{"Stop":[]},"hooks":{}}';
    expect(JSON.parse(installed(text)).hooks.Stop).toHaveLength(1);
    expect(installed(text)).toContain('{"hooks":{"Stop":[]},');
  });
});
