import pg from 'pg';
import { vi } from 'vitest';

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether the connection prepared it under a name. */
  readonly isPrepared: boolean;
}

/**
 * Records what connections send that are opened from now on, as it is sent, where it is wanted at that moment. `take` gives what was
 * sent since it was called last: each text once, with its last values.
 */
export function recordStatements(isWanted: () => boolean = () => true): {
  readonly take: () => SentStatement[];
  readonly stop: () => void;
} {
  const sent = new Map<string, SentStatement>();
  const prototype = pg.Client.prototype as { query: (this: pg.Client, ...args: unknown[]) => unknown };
  const original = prototype.query;
  const spy = vi.spyOn(prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [query, given] = args as [string | pg.QueryConfig, unknown];
    const text = typeof query === 'string' ? query : query.text;
    const values = typeof query === 'string' ? given : (query.values ?? given);
    const isPrepared = typeof query !== 'string' && query.name !== undefined;
    if (isWanted()) sent.set(text, { text, values: Array.isArray(values) ? values : [], isPrepared });
    return original.apply(this, args);
  });
  return {
    take: () => {
      const statements = [...sent.values()];
      sent.clear();
      return statements;
    },
    stop: () => spy.mockRestore(),
  };
}
