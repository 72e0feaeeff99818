import { styleText } from 'node:util';
import type { Context } from '../shared/context.ts';

export type Ink = (style: 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red', text: string) => string;

export const noInk: Ink = (_style, text) => text;
export const ink: Ink = (style, text) => styleText(style, text, { validateStream: false });

/** Colours only where a person sees them and has not said no (NO_COLOR, TERM=dumb). */
export function inkFor({ terminal, env }: Pick<Context, 'terminal' | 'env'>): Ink {
  return terminal && !env.NO_COLOR && env.TERM !== 'dumb' ? ink : noInk;
}
