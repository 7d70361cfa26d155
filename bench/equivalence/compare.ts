// Sends the same requests to both versions, one after the other, and compares each pair of answers.
import type { OperationId } from '../../generated/routes.ts';
import { basic } from './callers.ts';
import type { Clients, Tokens } from './callers.ts';
import { Dice } from './dice.ts';
import { describeDifferences } from './difference.ts';
import type { Difference, Origin } from './difference.ts';
import { OPERATIONS } from './document.ts';
import type { AskedOperation } from './document.ts';
import { Exchange } from './exchange.ts';
import type { Answer } from './exchange.ts';
import { collectionOf, Known, LEARNED } from './known.ts';
import type { Prepared } from './prepare.ts';
import { Renaming } from './renaming.ts';
import { drawRequest } from './requests.ts';
import type { RandomRequest, Sources } from './requests.ts';

export interface CompareOptions {
  readonly baseUrls: readonly [one: string, other: string];
  readonly orgId: string;
  readonly clients: Clients;
  /** Users whom clients act for. */
  readonly prepared: Prepared;
  readonly seed: number;
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
/** What passes from request to request, on the clock that both are told. */
const STEP_MS = [1, 500] as const;
/** All lists, first that of fleets: it tells of organizations. */
const WALKED: readonly AskedOperation[] = Object.keys(LEARNED).flatMap((collection) =>
  OPERATIONS.filter(({ route }) => route.method === 'get' && collectionOf(route.path) === collection),
);

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
  readonly #options: CompareOptions;
  readonly #dice: Dice;
  readonly #exchanges: readonly [Exchange, Exchange];
  readonly #renaming = new Renaming();
  readonly #known = new Known();
  #sent = 0;
  #clockMs = Date.now();
  #tokens: Tokens = { admin: '', staff: '', user: '', other: '', reader: '' };

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#dice = new Dice(options.seed);
    const [one, other] = options.baseUrls;
    this.#exchanges = [new Exchange(one), new Exchange(other)];
  }

  /** Gets tokens, and shows the generator what there is. */
  async walk(): Promise<void> {
    const { clients, orgId } = this.#options;
    this.#tokens = {
      admin: await this.#issueToken(basic(clients.admin)),
      staff: await this.#issueToken(basic(clients.staff)),
      user: await this.#issueToken(basic(clients.user)),
      other: await this.#issueToken(basic(clients.other)),
      reader: await this.#issueToken(basic(clients.admin), { scope: 'read' }),
    };
    // What may be ended by a request is none of these.
    this.#known.tokens.length = 0;
    this.#known.add({ org_id: orgId });
    for (const operation of WALKED) {
      for (const place of this.#known.list(operation.places))
        await this.#send(this.#plainRequest(operation, place), 'prepared');
    }
  }

  async sendRandom(count: number, onProgress: CompareOptions['onProgress']): Promise<void> {
    const { orgId, clients, prepared } = this.#options;
    const [running] = this.#known.list(['org_id', 'job_id', 'device_id']);
    const simulation = this.#known
      .list(['org_id', 'user_id', 'heat_pump_id'])
      .map((place) => place['org_id'] ?? '');
    const kept = new Set([running?.['job_id'] ?? '', ...simulation, prepared.staffId, prepared.userId]);
    const sources: Sources = {
      kept,
      dice: this.#dice,
      known: this.#known,
      tokens: this.#tokens,
      orgId,
      clients,
    };
    const weights = OPERATIONS.map((each): [number, AskedOperation] => [RARE[each.id] ?? 1, each]);
    for (let done = 1; done <= count; done += 1) {
      await this.#send(drawRequest(this.#dice.weigh(weights), sources, this.#clockMs));
      onProgress?.(done, this.differences.length);
    }
  }

  close(): void {
    for (const exchange of this.#exchanges) exchange.close();
  }

  #plainRequest({ id, route }: AskedOperation, place: Readonly<Record<string, string>>): RandomRequest {
    const target = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(place[name] ?? ''),
    );
    const headers = { authorization: `Bearer ${this.#tokens.admin}` };
    return { operationId: id, place, method: 'GET', target, headers, body: undefined };
  }

  async #issueToken(authorization: string, more: object = {}): Promise<string> {
    const { id, route } = findOperation('issueTokenAtRoot');
    const answer = await this.#send({
      operationId: id,
      place: {},
      method: 'POST',
      target: route.path,
      headers: { authorization, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ grant_type: 'client_credentials', ...more })),
    });
    if (answer.status !== 200)
      throw new Error(`The first token was answered ${answer.status}: ${answer.body}`);
    return (JSON.parse(answer.body) as { access_token: string }).access_token;
  }

  /** Resolves to the first version's answer. */
  async #send(request: RandomRequest, origin: Origin = 'drawn'): Promise<Answer> {
    this.#clockMs += this.#dice.integer(...STEP_MS);
    this.#sent += 1;
    const [one, other] = await Promise.all([
      this.#exchanges[0].send(request, this.#clockMs),
      this.#exchanges[1].send(this.#translate(request), this.#clockMs),
    ]);
    for (const difference of describeDifferences(one, other, this.#renaming, origin))
      this.differences.push({ ...difference, at: this.#sent, request, answers: [one, other] });
    const statuses = this.counts.get(request.operationId) ?? new Map<number, number>();
    this.counts.set(request.operationId, statuses.set(one.status, (statuses.get(one.status) ?? 0) + 1));
    if (one.status < 300 && request.method !== 'HEAD' && request.operationId !== 'streamEvents')
      this.#known.learn(findOperation(request.operationId).route, request.place, {
        body: one.body,
        link: one.headers['link'] ?? '',
      });
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

function findOperation(id: OperationId): AskedOperation {
  const found = OPERATIONS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`The document has no operation ${id}.`);
  return found;
}
