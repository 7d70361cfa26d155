import { listOperations, resolveReference } from './document.ts';
import type { ExampleBody, OpenApiDocument, Operation, Parameter } from './document.ts';
import { parseExampleSource } from './example-sources.ts';
import type { ExampleSource } from './example-sources.ts';

export interface ExampleParameter {
  readonly name: string;
  readonly in: Parameter['in'];
  /** As the document shows it. */
  readonly value: unknown;
}

/** A request that the document shows. */
export interface ExampleRequest {
  readonly operationId: string;
  /** `createUser.minimal`; `createUser` where the body has one example or there is none. */
  readonly name: string;
  /** The status of its success. */
  readonly status: number;
  /** Those with an example, the optional ones too. */
  readonly parameters: readonly ExampleParameter[];
  readonly body: { readonly type: string; readonly value: unknown } | undefined;
  /** Where values come from that the request does not show as they are: by parameter, or by JSON pointer into the body. */
  readonly sources: ReadonlyMap<string, ExampleSource>;
  /** What stands in the answer, by JSON pointer, once the requests behind this one can succeed. */
  readonly until: Readonly<Record<string, unknown>>;
}

type Sources = Readonly<Record<string, string>>;

interface ShownBody {
  readonly name: string | undefined;
  readonly type: string;
  readonly value: unknown;
  readonly sources: Sources;
}

/** The requests that the document shows, in its order: one for each example of an operation's body. */
export function listExampleRequests(document: OpenApiDocument): ExampleRequest[] {
  return listOperations(document).flatMap(({ operation, parameters }) =>
    listShownBodies(document, operation).map((body) => toRequest(operation, parameters, body)),
  );
}

function toRequest(
  operation: Operation,
  parameters: readonly Parameter[],
  body: ShownBody | undefined,
): ExampleRequest {
  const { operationId } = operation;
  const shared = parameters.flatMap(({ name, 'x-example-from': from }) =>
    from === undefined ? [] : [[name, from] as const],
  );
  const sources: Sources = {
    ...Object.fromEntries(shared),
    ...operation['x-example-from'],
    ...body?.sources,
  };
  return {
    operationId,
    name: body?.name === undefined ? operationId : `${operationId}.${body.name}`,
    status: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
    parameters: parameters
      .filter(({ name, example }) => example !== undefined || name in sources)
      .map(({ name, in: place, example }) => ({ name, in: place, value: example })),
    body: body && { type: body.type, value: body.value },
    sources: new Map(Object.entries(sources).map(([place, from]) => [place, parseExampleSource(from)])),
    until: operation['x-example-until'] ?? {},
  };
}

/** The examples of a request body, of each media type; one that is undefined where the operation takes none. */
function listShownBodies(document: OpenApiDocument, operation: Operation): (ShownBody | undefined)[] {
  if (operation.requestBody === undefined) return [undefined];
  const { content } = resolveReference<NonNullable<Operation['requestBody']>>(
    document,
    operation.requestBody,
  );
  return Object.entries(content).flatMap(([type, { example, examples = {} }]): ShownBody[] => {
    if (example !== undefined) return [{ name: undefined, type, value: example, sources: {} }];
    return Object.entries(examples).map(([name, each]) => {
      const { value, 'x-example-from': sources = {} } = resolveReference<ExampleBody>(document, each);
      return { name, type, value, sources };
    });
  });
}
