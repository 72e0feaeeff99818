import type { Compilable, CompiledQuery, QueryExecutorProvider } from 'kysely';

/** Anything that executes a compiled query: the database or a transaction on it. */
export interface Executor extends QueryExecutorProvider {
  executeQuery<R>(query: CompiledQuery<R>): Promise<{ rows: R[]; numAffectedRows?: bigint | undefined }>;
}

class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Runs the statement with its arguments; `sql` is its text, for tests of its query plan. */
export interface Prepared<A extends object, R> {
  (executor: Executor, args: A): Promise<R[]>;
  readonly sql: string;
}

/**
 * A statement built and compiled once, then run with new arguments: building a query anew costs more than SQLite
 * needs to answer it. `build` gets a stand-in for each argument, to be used as a value and nothing else.
 */
export function prepare<A extends object, R>(build: (slots: A) => Compilable<R>): Prepared<A, R> {
  let compiled: CompiledQuery<R> | undefined;
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as A;
  const compile = () => {
    compiled ??= build(slots).compile();
    return compiled;
  };
  const run = async (executor: Executor, args: A) => {
    const query = compile();
    const parameters = query.parameters.map(value =>
      value instanceof Slot ? (args as Record<string, unknown>)[value.name] : value,
    );
    const { rows } = await executor.executeQuery<R>({ ...query, parameters });
    return rows;
  };
  return Object.defineProperty(run, 'sql', { get: () => compile().sql }) as Prepared<A, R>;
}
