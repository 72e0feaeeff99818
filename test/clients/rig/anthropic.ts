import {
  Conversation,
  events,
  type FakeModel,
  json,
  list,
  type ModelRequest,
  type Part,
  parseBody,
  type Reply,
} from './model.ts';
import { serve } from './server.ts';

type Json = Readonly<Record<string, unknown>>;

const NO_USAGE = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/**
 * Fake of the Anthropic Messages API (streaming and not), on loopback. A request without tools is one of the
 * client's own small errands (titles, warm-ups): it is answered, but neither recorded nor served from the script.
 */
export async function fakeAnthropic(): Promise<FakeModel> {
  const talk = new Conversation();
  let serial = 0;
  const server = await serve(async (request, response, raw) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 100 });
    if (request.method !== 'POST' || !path.endsWith('/messages')) return json(response, 404, error(404));
    const body = parseBody(raw);
    const errand = list(body.tools).length === 0;
    const reply = errand ? { text: 'OK' } : await talk.answer(read(body), response);
    if (reply === undefined) return;
    serial += 1;
    if ('fail' in reply) {
      response.setHeader('request-id', `req_${serial}`);
      response.setHeader('x-should-retry', 'false');
      return json(response, reply.fail, error(reply.fail));
    }
    const block = contentBlock(reply, serial);
    const stop = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
    const message = {
      id: `msg_${serial}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [] as unknown[],
      stop_reason: null as string | null,
      stop_sequence: null,
      usage: NO_USAGE,
    };
    response.setHeader('request-id', `req_${serial}`);
    if (body.stream !== true) return json(response, 200, { ...message, content: [block], stop_reason: stop });
    events(response, stream(message, block, stop));
  });
  return fake(talk, server);
}

/** The public face of a conversation behind a server. */
export function fake(talk: Conversation, server: Awaited<ReturnType<typeof serve>>): FakeModel {
  return {
    url: server.url,
    requests: talk.requests,
    script: steps => talk.script(steps),
    asked: count => talk.asked(count),
    check: () => {
      if (server.failures.length > 0) throw new Error('The fake model failed.', { cause: server.failures[0] });
    },
    close: () => server.close(),
  };
}

function read(body: Json): ModelRequest {
  const parts: Part[] = [];
  const system = typeof body.system === 'string' ? [{ text: body.system }] : list(body.system);
  system.forEach((part, index) => {
    parts.push({ message: -1, part: index, role: 'system', text: String(part.text ?? '') });
  });
  list(body.messages).forEach((message, at) => {
    const content = typeof message.content === 'string' ? [{ text: message.content }] : list(message.content);
    content.forEach((part, index) => {
      parts.push({ message: at, part: index, role: String(message.role), text: textOf(part) });
    });
  });
  return { model: String(body.model), parts, tools: list(body.tools).map(tool => String(tool.name)), body };
}

/** A text part's text; any other part (tool use, tool result, image) as JSON, so that a search misses nothing. */
function textOf(part: Json): string {
  return typeof part.text === 'string' ? part.text : JSON.stringify(part);
}

function contentBlock(reply: Exclude<Reply, { fail: number }>, serial: number) {
  return 'text' in reply
    ? { type: 'text' as const, text: reply.text }
    : { type: 'tool_use' as const, id: `toolu_${serial}`, name: reply.tool, input: reply.input };
}

function stream(message: Json, block: ReturnType<typeof contentBlock>, stop: string): Json[] {
  const [start, delta] =
    block.type === 'text'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

function error(status: number): Json {
  const type = status === 404 ? 'not_found_error' : status < 500 ? 'invalid_request_error' : 'api_error';
  return { type: 'error', error: { type, message: `fake error ${status}` } };
}
