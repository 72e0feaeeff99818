import { fake } from './anthropic.ts';
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

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** Fake of the OpenAI Responses API (streaming), on loopback. Every `POST …/responses` is recorded. */
export async function fakeOpenai(): Promise<FakeModel> {
  const talk = new Conversation();
  let serial = 0;
  const server = await serve(async (request, response, raw) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.endsWith('/models')) return json(response, 200, { object: 'list', data: [], models: [] });
    if (request.method !== 'POST' || !path.endsWith('/responses')) return json(response, 404, error(404));
    const reply = await talk.answer(read(parseBody(raw)), response);
    if (reply === undefined) return;
    if ('fail' in reply) return json(response, reply.fail, error(reply.fail));
    serial += 1;
    events(response, stream(`resp_${serial}`, item(reply, serial)));
  });
  return fake(talk, server);
}

function read(body: Json): ModelRequest {
  const parts: Part[] = [];
  if (typeof body.instructions === 'string') {
    parts.push({ message: -1, part: 0, role: 'instructions', text: body.instructions });
  }
  list(body.input).forEach((entry, at) => {
    const role = String(entry.role ?? entry.type);
    const content = list(entry.content);
    if (content.length === 0) parts.push({ message: at, part: 0, role, text: JSON.stringify(entry) });
    content.forEach((part, index) => {
      const text = typeof part.text === 'string' ? part.text : JSON.stringify(part);
      parts.push({ message: at, part: index, role, text });
    });
  });
  return {
    model: String(body.model),
    parts,
    tools: list(body.tools).map(tool => String(tool.name ?? tool.type)),
    body,
  };
}

function item(reply: Exclude<Reply, { fail: number }>, serial: number): Json {
  if ('text' in reply) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    return { type: 'message', id: `msg_${serial}`, role: 'assistant', status: 'completed', content };
  }
  return {
    type: 'function_call',
    id: `fc_${serial}`,
    call_id: `call_${serial}`,
    name: reply.tool,
    ...(reply.namespace === undefined ? {} : { namespace: reply.namespace }),
    arguments: JSON.stringify(reply.input),
    status: 'completed',
  };
}

function stream(id: string, output: Json): Json[] {
  return [
    { type: 'response.created', response: { id, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...output, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item: output },
    { type: 'response.completed', response: { id, status: 'completed', output: [output], usage: USAGE } },
  ];
}

function error(status: number): Json {
  return { error: { type: status < 500 ? 'invalid_request_error' : 'server_error', message: `fake error ${status}` } };
}
