import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const TIMED = fileURLToPath(new URL('timed.sh', import.meta.url));

/**
 * Runs a command once, as a harness would: stdin is written at once and closed. It is a socket, as under Claude Code,
 * or a pipe, as under Codex.
 *
 * @returns {Promise<{stdout: string, wall: number, cpu: number}>} wall and CPU (user + system, children included) in ms
 */
export function timed(command, { stdin, env, kind = 'socket' }) {
  const child = spawn('bash', [TIMED, kind, ...command], { env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  const texts = ['', '', '', ''];
  for (const fd of [1, 2, 3]) {
    child.stdio[fd].setEncoding('utf8').on('data', text => {
      texts[fd] += text;
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      if (code !== 0) return reject(new Error(`${command.join(' ')} ended with ${code}: ${texts[2]}`));
      const [[real, user, system], [start, end]] = texts[3]
        .trim()
        .split('\n')
        .map(line => line.split(' ').map(Number));
      // bash cuts user and system time off at the millisecond: half of one each puts the mean right.
      const cpu = (user + system) * 1000 + 1;
      resolve({ stdout: texts[1], wall: end > 0 ? (end - start) * 1000 : real * 1000, cpu });
    });
  });
}
