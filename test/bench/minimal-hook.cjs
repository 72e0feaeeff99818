// The smallest node script with the real hook's I/O: stdin, configuration, state and transcript size read, one request
// that acknowledges the last block and brings the next, the state file replaced durably, one envelope printed.
// No deadline, no proof, no guard, no frame around peer text.
'use strict';
const fs = require('node:fs');
const http = require('node:http');

const { INBOX_CONFIG, INBOX_STATE } = process.env;

function sizeOf(path) {
  try {
    return fs.statSync(path).size;
  } catch {
    return 0;
  }
}

function readState() {
  try {
    return JSON.parse(fs.readFileSync(INBOX_STATE, 'utf8'));
  } catch {
    return {};
  }
}

function saveState(state) {
  const file = fs.openSync(`${INBOX_STATE}.tmp`, 'w', 0o600);
  fs.writeSync(file, JSON.stringify(state));
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(`${INBOX_STATE}.tmp`, INBOX_STATE);
}

function onPage(page, input) {
  const items = page.items.sort((a, b) => b.delivery.score - a.delivery.score);
  if (items.length === 0) return;
  const text = items.map(({ diff }) => `[${diff.metadata.kind} from ${diff.metadata.from_handle}] ${diff.content}`);
  saveState({ shown: page.window_high, transcript: sizeOf(input.transcript_path) });
  const hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext: text.join('\n').slice(0, 9000) };
  process.stdout.write(JSON.stringify({ hookSpecificOutput }), () => process.exit(0));
}

function onInput(input) {
  const { url, token } = JSON.parse(fs.readFileSync(INBOX_CONFIG, 'utf8'));
  const body = JSON.stringify({ limit: 50, ack: readState().shown });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const request = http.request(`${url}/v1/inbox:pull`, { method: 'POST', headers }, response => {
    const chunks = [];
    response.on('data', chunk => chunks.push(chunk));
    response.on('end', () => onPage(JSON.parse(Buffer.concat(chunks).toString()), input));
  });
  request.end(body);
}

const chunks = [];
process.stdin.on('data', chunk => chunks.push(chunk));
process.stdin.on('end', () => onInput(JSON.parse(Buffer.concat(chunks).toString())));
