// Loaded into each version before the service: every request says what time it is, so that both read the same instants.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Milliseconds since 1970. */
const CLOCK_HEADER = 'bench-clock';

let toldMs: number | undefined;

class ToldDate extends Date {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(ToldDate.now());
    else super(...(given as [string]));
  }

  static override now(): number {
    return toldMs ?? ownNow();
  }
}

const ownNow = Date.now;
globalThis.Date = ToldDate as DateConstructor;

subscribe('http.server.request.start', (message) => {
  const told = (message as { readonly request: IncomingMessage }).request.headers[CLOCK_HEADER];
  if (typeof told === 'string') toldMs = Number(told);
});
