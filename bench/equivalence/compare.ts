// Sends the same requests to both versions, one after the other, and compares each pair of answers.
import type { OperationId } from '../../generated/routes.ts';
import { describeDifferences } from './difference.ts';
import type { Difference, Origin } from './difference.ts';
import { OPERATIONS } from './document.ts';
import type { AskedOperation } from './document.ts';
import { Exchange } from './exchange.ts';
import type { Answer } from './exchange.ts';
import { Renaming } from './renaming.ts';
import type { RandomRequest } from './requests.ts';
import { Session } from './session.ts';
import type { SessionOptions } from './session.ts';

export interface CompareOptions extends SessionOptions {
  readonly baseUrls: readonly [one: string, other: string];
  readonly requests: number;
  readonly onProgress?: (done: number, differences: number) => void;
}

export interface Comparison {
  /** Requests by operation and the first version's status. */
  readonly counts: ReadonlyMap<OperationId, ReadonlyMap<number, number>>;
  readonly differences: readonly Difference[];
}

/** Streams have no end: each takes as long as it must be quiet to be over. */
const RARE: Partial<Readonly<Record<OperationId, number>>> = {
  streamEvents: 0.3,
  getAuthorizationServerMetadata: 0.2,
};

/** Rejects when the first tokens cannot be had. */
export async function compareVersions(options: CompareOptions): Promise<Comparison> {
  const run = new Run(options);
  try {
    await run.walk();
    await run.sendRandom(options.requests, options.onProgress);
    return { counts: run.counts, differences: run.differences };
  } finally {
    run.close();
  }
}

class Run {
  readonly counts = new Map<OperationId, Map<number, number>>();
  readonly differences: Difference[] = [];
  readonly #session: Session;
  readonly #exchanges: readonly [Exchange, Exchange];
  readonly #renaming = new Renaming();
  #sent = 0;

  constructor(options: CompareOptions) {
    const [one, other] = options.baseUrls;
    this.#exchanges = [new Exchange(one), new Exchange(other)];
    this.#session = new Session(options, (...sent) => this.#sendToBoth(...sent));
  }

  /** Gets tokens, and shows the generator what there is. */
  walk(): Promise<void> {
    return this.#session.walk();
  }

  async sendRandom(count: number, onProgress: CompareOptions['onProgress']): Promise<void> {
    const weights = OPERATIONS.map((each): [number, AskedOperation] => [RARE[each.id] ?? 1, each]);
    for (let done = 1; done <= count; done += 1) {
      await this.#session.send(this.#session.draw(this.#session.dice.weigh(weights)));
      onProgress?.(done, this.differences.length);
    }
  }

  close(): void {
    for (const exchange of this.#exchanges) exchange.close();
  }

  /** Resolves to the first version's answer. */
  async #sendToBoth(request: RandomRequest, clockMs: number, origin: Origin): Promise<Answer> {
    this.#sent += 1;
    const [one, other] = await Promise.all([
      this.#exchanges[0].send(request, clockMs),
      this.#exchanges[1].send(this.#translate(request), clockMs),
    ]);
    for (const difference of describeDifferences(one, other, this.#renaming, origin))
      this.differences.push({ ...difference, at: this.#sent, request, answers: [one, other] });
    const statuses = this.counts.get(request.operationId) ?? new Map<number, number>();
    this.counts.set(request.operationId, statuses.set(one.status, (statuses.get(one.status) ?? 0) + 1));
    return one;
  }

  #translate(request: RandomRequest): RandomRequest {
    const { target, headers, body } = request;
    return {
      ...request,
      target: this.#renaming.translate(target),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#renaming.translate(value)]),
      ),
      body: body && Buffer.from(this.#renaming.translate(body.toString('latin1')), 'latin1'),
    };
  }
}
