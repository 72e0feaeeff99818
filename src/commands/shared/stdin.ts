import { cliFailures } from '../../messages-cli.ts';

/** Nothing we take from stdin is larger, UTF-8 bytes. */
const MAX_BYTES = 1024 * 1024;

/** All of stdin as text. @throws `bad_input` when it is not UTF-8, `too_large` above 1 MB */
export async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MAX_BYTES) throw cliFailures.stdinTooLarge(MAX_BYTES);
    chunks.push(part);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw cliFailures.stdinNotUtf8();
  }
}

/** One line from a terminal without showing it, for tokens; Ctrl-C and Ctrl-D give up with an empty line. */
export function readHidden(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise(resolve => {
    let line = '';
    const finish = (result: string) => {
      stdin.removeListener('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      for (const character of chunk.toString('utf8')) {
        if (character === '\r' || character === '\n') return finish(line);
        if (character === '\x03' || character === '\x04') return finish('');
        line = character === '\x7f' ? line.slice(0, -1) : line + character;
      }
    };
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  });
}
