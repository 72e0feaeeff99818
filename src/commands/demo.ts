import { type DemoTurn, type Pending, play } from './demo/story.ts';
import { tellEnd, tellPending, tellTurn } from './demo/tell.ts';
import type { Context, Result } from './shared/context.ts';

/** `preturn demo`: the main job on this machine alone, with the real relay and the real hook. */
export async function run(context: Context): Promise<Result> {
  const say = (text: string) => {
    if (!context.json) context.say(text);
  };
  const story = await play(({ pending, turn }: { pending?: readonly Pending[]; turn?: DemoTurn }) => {
    if (pending) say(tellPending(pending, context.width));
    if (turn) say(tellTurn(turn, context.width));
  });
  const emptied = (story.turns.at(-1)?.cursor.after ?? 0) >= story.head;
  return { data: story, text: tellEnd(story), exit: emptied ? 0 : 1 };
}
