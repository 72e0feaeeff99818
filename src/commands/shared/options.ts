import { cliFailures } from '../../messages-cli.ts';
import type { Context } from './context.ts';

/** A text option; undefined when it was not given. */
export function text(context: Context, name: string): string | undefined {
  const value = context.options[name];
  return typeof value === 'string' ? value : undefined;
}

export function flag(context: Context, name: string): boolean {
  return context.options[name] === true;
}

/** @throws `bad_input` unless it is a whole number within the bounds */
export function integer(name: string, value: string, min: number, max: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < min || number > max) {
    throw cliFailures.notANumber(name, value, min, max);
  }
  return number;
}

export function integerOption(context: Context, name: string, min: number, max: number): number | undefined {
  const value = text(context, name);
  return value === undefined
    ? undefined
    : integer(`--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`, value, min, max);
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `90`, `90s`, `15m`, `2h`, `7d` → seconds. @throws `bad_input` */
export function seconds(name: string, value: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(value);
  if (!match) throw cliFailures.notADuration(name, value);
  return Number(match[1]) * UNITS[(match[2] || 's') as keyof typeof UNITS];
}
