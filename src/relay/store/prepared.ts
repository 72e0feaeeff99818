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

/**
 * A statement built and compiled once, then run with new arguments: building a query anew costs more than SQLite
 * needs to answer it. `build` gets a stand-in for each argument, to be used as a value and nothing else.
 */
export function prepare<A extends object, R>(
  build: (slots: A) => Compilable<R>,
): (executor: Executor, args: A) => Promise<R[]> {
  let compiled: CompiledQuery<R> | undefined;
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as A;
  return async (executor, args) => {
    compiled ??= build(slots).compile();
    const parameters = compiled.parameters.map(value =>
      value instanceof Slot ? (args as Record<string, unknown>)[value.name] : value,
    );
    const { rows } = await executor.executeQuery<R>({ ...compiled, parameters });
    return rows;
  };
}
