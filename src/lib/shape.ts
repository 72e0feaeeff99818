/**
 * Validation for the hook's own files. zod/mini would be half of the hook's bundle (30 of 60 KB) for three files that
 * only this package writes; the relay and the command line use zod at their boundaries.
 *
 * A shape takes a value and gives it back typed, or throws `ShapeError`; unknown keys are dropped.
 */
export type Shape<T> = (value: unknown, path: string) => T;
export type Infer<S> = S extends Shape<infer T> ? T : never;

export class ShapeError extends Error {
  readonly path: string;
  constructor(path: string, wanted: string) {
    super(`${path || 'the file'} must be ${wanted}`);
    this.path = path;
  }
}

function fail(path: string, wanted: string): never {
  throw new ShapeError(path, wanted);
}

export const text =
  (pattern?: RegExp): Shape<string> =>
  (value, path) =>
    typeof value === 'string' && (!pattern || pattern.test(value))
      ? value
      : fail(path, pattern ? `text like ${pattern.source}` : 'text');

/** A safe integer from `min` to `max`. */
export const integer =
  (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Shape<number> =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : fail(path, `a whole number from ${min} to ${max}`);

export const number: Shape<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : fail(path, 'a number');

export const flag: Shape<boolean> = (value, path) => (typeof value === 'boolean' ? value : fail(path, 'true or false'));

export const oneOf =
  <const T extends string | number | null>(...allowed: readonly T[]): Shape<T> =>
  (value, path) =>
    allowed.includes(value as T) ? (value as T) : fail(path, `one of ${allowed.join(', ')}`);

export const list =
  <T>(shape: Shape<T>): Shape<T[]> =>
  (value, path) =>
    Array.isArray(value) ? value.map((item, at) => shape(item, `${path}[${at}]`)) : fail(path, 'a list');

export const record =
  <T>(shape: Shape<T>): Shape<Record<string, T>> =>
  (value, path) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item, `${path}.${key}`)]))
      : fail(path, 'an object');

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, path) =>
    value === undefined ? undefined : shape(value, path);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, path) =>
    value === null ? null : shape(value, path);

/** Takes the fallback where the key is missing. */
export const fallback =
  <T>(shape: Shape<T>, otherwise: T): Shape<T> =>
  (value, path) =>
    value === undefined ? otherwise : shape(value, path);

type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<F extends Fields> = { [K in keyof F]: undefined extends Infer<F[K]> ? K : never }[keyof F];
type ObjectOf<F extends Fields> = { [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]> } & {
  [K in OptionalKeys<F>]?: Exclude<Infer<F[K]>, undefined>;
};

export const object =
  <F extends Fields>(fields: F): Shape<ObjectOf<F>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(path, 'an object');
    const found: Record<string, unknown> = {};
    for (const key in fields) {
      const item = fields[key]!(
        Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
        path ? `${path}.${key}` : key,
      );
      if (item !== undefined) found[key] = item;
    }
    return found as ObjectOf<F>;
  };

/** The value in its shape, or undefined. */
export function fits<T>(shape: Shape<T>, value: unknown): T | undefined {
  try {
    return shape(value, '');
  } catch {
    return undefined;
  }
}
