// A partner's requests, one after the other: what each answer shows is what later ones ask for.
import { basic } from './callers.ts';
import type { Clients, Tokens } from './callers.ts';
import { Dice } from './dice.ts';
import { findOperation, OPERATIONS } from './document.ts';
import type { AskedOperation } from './document.ts';
import type { Origin } from './difference.ts';
import type { Answer } from './exchange.ts';
import { collectionOf, Known, LEARNED } from './known.ts';
import type { Prepared } from './prepare.ts';
import { drawRequest } from './requests.ts';
import type { RandomRequest, Sources } from './requests.ts';

export interface SessionOptions {
  readonly orgId: string;
  readonly clients: Clients;
  /** Users whom clients act for. */
  readonly prepared: Prepared;
  readonly seed: number;
}

/** Sends a request at a time of the clock that the service is told, and resolves to the answer. */
export type SendRequest = (request: RandomRequest, clockMs: number, origin: Origin) => Promise<Answer>;

/** What passes from request to request, on that clock. */
const STEP_MS = [1, 500] as const;
/** All lists, first that of fleets: it tells of organizations. */
const WALKED: readonly AskedOperation[] = Object.keys(LEARNED).flatMap((collection) =>
  OPERATIONS.filter(({ route }) => route.method === 'get' && collectionOf(route.path) === collection),
);

export class Session {
  readonly dice: Dice;
  readonly #options: SessionOptions;
  readonly #sendRequest: SendRequest;
  readonly #known = new Known();
  #clockMs = Date.now();
  #tokens: Tokens = { admin: '', staff: '', user: '', other: '', reader: '' };
  #kept: ReadonlySet<string> = new Set();

  constructor(options: SessionOptions, sendRequest: SendRequest) {
    this.dice = new Dice(options.seed);
    this.#options = options;
    this.#sendRequest = sendRequest;
  }

  /** Gets tokens and reads all lists. Rejects when the first tokens cannot be had. */
  async walk(): Promise<void> {
    const { clients, orgId, prepared } = this.#options;
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
        await this.send(this.#plainRequest(operation, place), 'prepared');
    }
    const [running] = this.#known.list(['org_id', 'job_id', 'device_id']);
    const simulation = this.#known
      .list(['org_id', 'user_id', 'heat_pump_id'])
      .map((place) => place['org_id'] ?? '');
    this.#kept = new Set([running?.['job_id'] ?? '', ...simulation, prepared.staffId, prepared.userId]);
  }

  /** A random request of an operation, mostly of objects that the answers have shown. */
  draw(operation: AskedOperation): RandomRequest {
    const { orgId, clients } = this.#options;
    const sources: Sources = {
      kept: this.#kept,
      dice: this.dice,
      known: this.#known,
      tokens: this.#tokens,
      orgId,
      clients,
    };
    return drawRequest(operation, sources, this.#clockMs);
  }

  async send(request: RandomRequest, origin: Origin = 'drawn'): Promise<Answer> {
    this.#clockMs += this.dice.integer(...STEP_MS);
    const answer = await this.#sendRequest(request, this.#clockMs, origin);
    if (
      answer.status > 0 &&
      answer.status < 300 &&
      request.method !== 'HEAD' &&
      request.operationId !== 'streamEvents'
    )
      this.#known.learn(findOperation(request.operationId).route, request.place, {
        body: answer.body,
        link: answer.headers['link'] ?? '',
      });
    return answer;
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
    const answer = await this.send({
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
}
