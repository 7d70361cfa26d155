import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '../../generated/routes.ts';

/** Set by `make validators`: the folder where each test process writes down the exchanges of its clients, one a line. */
export const EXCHANGES_VARIABLE = 'TEST_EXCHANGES';

/** A request of an operation and its answer, as they were sent. */
export interface RecordedExchange {
  readonly operationId: OperationId;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where nothing was sent. */
  readonly body: string | undefined;
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
  };
}

/** Does nothing unless exchanges are asked for. */
export function recordExchange(exchange: RecordedExchange): void {
  const folder = process.env[EXCHANGES_VARIABLE];
  if (folder !== undefined) appendFileSync(join(folder, `${process.pid}`), `${JSON.stringify(exchange)}\n`);
}
