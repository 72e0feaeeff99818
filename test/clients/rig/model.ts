import type { ServerResponse } from 'node:http';

/** One piece of text in a recorded model request, in the order in which the model reads it. */
export interface Part {
  /** Index in the request's message list; -1 for the top-level system prompt or instructions. */
  readonly message: number;
  /** Index within that message's content. */
  readonly part: number;
  /** Wire role (`user`, `assistant`, `system`, `developer`), or the item's type where it has no role. */
  readonly role: string;
  readonly text: string;
}

/** One request for a model reply, as a client sent it. */
export interface ModelRequest {
  readonly model: string;
  readonly parts: readonly Part[];
  /** Names of the tools that the client offered. */
  readonly tools: readonly string[];
  /** The parsed JSON body, whole. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the fake model answers: text, a tool call, or an HTTP error; `delayMs` waits before the first byte. */
export type Reply = { readonly delayMs?: number } & (
  | { readonly text: string }
  | { readonly tool: string; readonly namespace?: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly fail: number }
);

/** A reply, or a function that makes it, for what depends on the request or has to happen while the model "thinks". */
export type Step = Reply | ((request: ModelRequest) => Reply | Promise<Reply>);

/** A fake model API: what it was asked, and what it will answer next. */
export interface FakeModel {
  readonly url: string;
  /** All recorded model requests, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Replaces the replies that are still to come; after them the model answers `DEFAULT_TEXT`. */
  script(steps: readonly Step[]): void;
  /** Resolves when request number `count` (from 1, over the fake's life) has been recorded. */
  asked(count: number): Promise<void>;
  /** Throws what the fake itself threw while answering, if it did. */
  check(): void;
  close(): Promise<void>;
}

export const DEFAULT_TEXT = 'FAKE-OK';

/** The script and the record that both fakes share. */
export class Conversation {
  readonly requests: ModelRequest[] = [];
  readonly #waiting: { readonly count: number; readonly done: () => void }[] = [];
  #steps: Step[] = [];

  script(steps: readonly Step[]): void {
    this.#steps = [...steps];
  }

  asked(count: number): Promise<void> {
    if (this.requests.length >= count) return Promise.resolve();
    return new Promise(done => this.#waiting.push({ count, done }));
  }

  /**
   * Records one request, wakes who waits for it, and returns the reply once its delay has passed;
   * `undefined` when the client hung up meanwhile.
   */
  async answer(request: ModelRequest, response: ServerResponse): Promise<Reply | undefined> {
    this.requests.push(request);
    for (const waiter of this.#waiting) if (this.requests.length >= waiter.count) waiter.done();
    const step = this.#steps.shift() ?? { text: DEFAULT_TEXT };
    const reply = typeof step === 'function' ? await step(request) : step;
    if (reply.delayMs) await pause(reply.delayMs, response);
    return response.destroyed ? undefined : reply;
  }
}

/** Waits `ms`, or less when the client closes the connection. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Writes server-sent events whose `type` is both the event name and a field, as both APIs do. */
export function events(response: ServerResponse, list: readonly Readonly<Record<string, unknown>>[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of list) response.write(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export function parseBody(raw: Buffer): Record<string, unknown> {
  const body: unknown = JSON.parse(raw.toString('utf8'));
  if (typeof body !== 'object' || body === null) throw new Error(`not a JSON object: ${raw.subarray(0, 80)}`);
  return body as Record<string, unknown>;
}

/** `value` when it is an array, else an empty one. */
export function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}
