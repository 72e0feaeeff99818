import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A stand-in for the hook, to test the clients and the rig themselves: on UserPromptSubmit it prints `text` in the
 * envelope, followed by the number of its run when `numbered`; on other events nothing. Returns the command.
 */
export async function stubHook(dir: string, text: string, numbered = false): Promise<string> {
  const file = join(dir, 'stub.cjs');
  const suffix = numbered ? `' #' + require('node:fs').readdirSync(${JSON.stringify(join(dir, 'runs'))}).length` : `''`;
  await writeFile(
    file,
    `const input = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const hookEventName = input.hook_event_name;
const additionalContext = ${JSON.stringify(text)} + ${suffix};
if (hookEventName === 'UserPromptSubmit') console.log(JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } }));
`,
  );
  return `'${process.execPath}' '${file}'`;
}
