import { isDeepStrictEqual } from 'node:util';
import { ROUTES } from '../../generated/routes.ts';
import type { Route } from '../../generated/routes.ts';
import type { ExampleRequest } from '../../tools/generate/example-requests.ts';
import { parseExampleSource } from '../../tools/generate/example-sources.ts';
import type { Answer } from '../support/api-client.ts';
import { ExampleAnswers, valueAt } from './example-answers.ts';
import { EXAMPLE_DOCUMENT, EXAMPLE_REQUESTS } from './example-world.ts';
import type { Client, ExampleWorld } from './example-world.ts';

/** What a request needs that its example does not say. */
export interface Call {
  readonly route: Route;
  /** Empty where the operation takes none. */
  readonly token: string;
  readonly client: Client;
}

/** Sends a request whose values are filled in. */
export type SendExample = (
  request: ExampleRequest,
  call: Call,
) => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>;

/** The name of each request, and the status that it was answered with, or what went wrong instead. */
export type Outcomes = readonly (readonly [name: string, outcome: number | string])[];

/** As the document tells of each of its examples. */
export const EXPECTED_OUTCOMES: Outcomes = EXAMPLE_REQUESTS.map(({ name, status }) => [name, status]);

/** Sends examples in the order of the document, a second apart. */
export async function sendExamples(
  world: ExampleWorld,
  send: SendExample,
  requests: readonly ExampleRequest[] = EXAMPLE_REQUESTS,
): Promise<Outcomes> {
  const answers = new ExampleAnswers();
  const outcomes: [string, number | string][] = [];
  for (const request of requests) {
    world.fleets.api.clock.advance(1_000);
    if (Object.keys(request.until).length > 0) await world.settle();
    const sendFilled = (filled: ExampleRequest) => send(filled, describeCall(world, filled, answers));
    outcomes.push([request.name, await outcomeOf(request, answers, sendFilled)]);
  }
  return outcomes;
}

async function outcomeOf(
  request: ExampleRequest,
  answers: ExampleAnswers,
  send: (filled: ExampleRequest) => ReturnType<SendExample>,
): Promise<number | string> {
  try {
    const answer = await send(answers.fill(request));
    answers.keep(request, answer);
    if (answer.status !== request.status) return `${answer.status} ${JSON.stringify(answer.body)}`;
    const missed = Object.entries(request.until).filter(
      ([pointer, value]) => !isDeepStrictEqual(valueAt(answer.body, pointer), value),
    );
    return missed.length === 0 ? answer.status : `Not so at last: ${JSON.stringify(missed)}.`;
  } catch (error) {
    return String(error);
  }
}

const TOKEN_SOURCE = parseExampleSource(
  (EXAMPLE_DOCUMENT.components['securitySchemes']?.['oauth2'] as { 'x-example-from': string })[
    'x-example-from'
  ],
);

function describeCall(
  { clients }: ExampleWorld,
  { operationId, body }: ExampleRequest,
  answers: ExampleAnswers,
): Call {
  const route = ROUTES.find((each) => each.operationId === operationId);
  if (route === undefined) throw new Error(`There is no operation ${operationId}.`);
  const { grant_type: grant } = (body?.value ?? {}) as { readonly grant_type?: string };
  return {
    route,
    token: route.access === 'token' ? answers.find(TOKEN_SOURCE) : '',
    client: clients[grant === 'password' ? 'password' : 'client_credentials'],
  };
}

/** Sends the request to the service as it stands, with everything that the example has. */
export function sendDirectly({ fleets }: ExampleWorld): SendExample {
  return ({ parameters, body }, { route, token, client }) => {
    const at = (place: string) =>
      Object.fromEntries(
        parameters.filter((each) => each.in === place).map(({ name, value }) => [name, value]),
      );
    return fleets.api.call(route.operationId, {
      path: at('path') as Record<string, string>,
      query: at('query') as Record<string, string>,
      headers: {
        ...(at('header') as Record<string, string>),
        ...(body === undefined ? {} : { 'content-type': body.type }),
        ...(route.access === 'client' && !hasSecret(body) ? { authorization: basicOf(client) } : {}),
      },
      token,
      ...(body === undefined ? {} : { raw: toText(body) }),
    });
  };
}

type Body = NonNullable<ExampleRequest['body']>;

function hasSecret(body: Body | undefined): boolean {
  return (body?.value as { readonly client_secret?: string } | undefined)?.client_secret !== undefined;
}

function basicOf({ id, secret }: Client): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

function toText({ type, value }: Body): string {
  return type === 'application/json'
    ? JSON.stringify(value)
    : new URLSearchParams(value as Record<string, string>).toString();
}
