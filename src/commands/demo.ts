import { inkFor } from './demo/ink.ts';
import { play } from './demo/story.ts';
import { tellEnd, tellPending, tellTurn } from './demo/tell.ts';
import type { Context, Result } from './shared/context.ts';

/** `preturn demo`: the main job on this machine alone, with the real relay and the real hook. */
export async function run(context: Context): Promise<Result> {
  const paper = { width: Math.min(context.width, 100), ink: inkFor(context) };
  const say = (text: string) => {
    if (!context.json) context.say(text);
  };
  const story = await play({
    onPending: (pending, hostile) => say(tellPending(pending, hostile, paper)),
    onTurn: turn => say(tellTurn(turn, paper)),
  });
  return { data: story, text: tellEnd(story, paper), exit: story.checks.every(check => check.holds) ? 0 : 1 };
}
