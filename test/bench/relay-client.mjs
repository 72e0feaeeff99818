import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts the relay's process. @returns `call(op, args)` and `stop()` */
export async function startRelay(env) {
  const child = fork(fileURLToPath(new URL('relay-process.mjs', import.meta.url)), { env });
  const waiting = new Map();
  let next = 0;
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the relay ended with ${code}; is the package built?`)));
    child.once('message', resolve);
  });
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  });
  return {
    call: (op, args = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(++next, { resolve, reject });
        child.send({ id: next, op, ...args });
      }),
    stop: () => child.disconnect(),
  };
}
