import { describeSchema, listSchemaFields, resolveReference } from './schema-fields.ts';
import type { Field, Node } from './schema-fields.ts';

interface ParameterView extends Field {
  /** path, query or header */
  readonly location: string;
}

interface Example {
  readonly title: string;
  readonly text: string;
}

interface BodyView {
  readonly types: string;
  readonly fields: readonly Field[];
  readonly examples: readonly Example[];
}

interface ResponseView {
  readonly status: string;
  readonly description: string;
  readonly body: BodyView | undefined;
}

interface OperationView {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Anyone may call it; all others say in their description who may. */
  readonly isOpen: boolean;
  readonly isExtension: boolean;
  readonly isDeprecated: boolean;
  readonly parameters: readonly ParameterView[];
  readonly body: BodyView | undefined;
  readonly responses: readonly ResponseView[];
}

interface TagView {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly OperationView[];
}

interface ReferenceView {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly tags: readonly TagView[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The document as the reference page shows it: operations and messages by tag, references followed. */
export function buildReferenceView(document: Node): ReferenceView {
  const info = document['info'] as Node;
  const operations = [...operationsOf(document, 'paths'), ...operationsOf(document, 'webhooks')];
  return {
    title: text(info['title']),
    version: text(info['version']),
    description: text(info['description']),
    tags: (document['tags'] as Node[]).map((tag) => ({
      name: text(tag['name']),
      description: text(tag['description']),
      operations: operations.filter((each) => each.tag === tag['name']).map((each) => each.view),
    })),
  };
}

function operationsOf(document: Node, key: 'paths' | 'webhooks'): { tag: unknown; view: OperationView }[] {
  const items = Object.entries((document[key] ?? {}) as Record<string, Node>);
  return items.flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const operation = item[method] as Node;
      const parameters = [item['parameters'], operation['parameters']].flatMap((each) => each ?? []);
      const tag = (operation['tags'] as readonly unknown[] | undefined)?.[0];
      return { tag, view: operationView(document, { path, method, operation, parameters }) };
    }),
  );
}

interface OperationNode {
  readonly path: string;
  readonly method: string;
  readonly operation: Node;
  readonly parameters: readonly unknown[];
}

function operationView(
  document: Node,
  { path, method, operation, parameters }: OperationNode,
): OperationView {
  const security = operation['security'];
  const responses = Object.entries(operation['responses'] as Record<string, unknown>);
  return {
    id: text(operation['operationId']),
    method: method.toUpperCase(),
    path,
    summary: text(operation['summary']),
    description: text(operation['description']),
    isOpen: Array.isArray(security) && security.length === 0,
    isExtension: operation['x-extension'] === true,
    isDeprecated: operation['deprecated'] === true,
    parameters: parameters.map((each) => parameterLine(document, resolveReference(document, each))),
    body: bodyView(document, operation['requestBody']),
    responses: responses.map(([status, each]) => {
      const response = resolveReference(document, each);
      const isSuccess = status.startsWith('2');
      const body = isSuccess ? bodyView(document, response) : undefined;
      return { status, description: text(response['description']), body };
    }),
  };
}

function parameterLine(document: Node, parameter: Node): ParameterView {
  const schema = describeSchema(document, parameter['schema']);
  return {
    name: text(parameter['name']),
    location: text(parameter['in']),
    isRequired: parameter['required'] === true,
    ...schema,
    description: text(parameter['description']) || schema.description,
  };
}

/** A request body or a response: media types, fields and examples of the first type that has them. */
function bodyView(document: Node, node: unknown): BodyView | undefined {
  const { content } = resolveReference(document, node) as { content?: Record<string, Node> };
  const [first] = Object.values(content ?? {});
  if (content === undefined || first === undefined) return undefined;
  return {
    types: Object.keys(content).join(', '),
    fields: listSchemaFields(document, first['schema']),
    examples: examplesOf(document, first),
  };
}

function examplesOf(document: Node, media: Node): Example[] {
  const named = Object.values((media['examples'] ?? {}) as Record<string, unknown>).map((each) =>
    resolveReference(document, each),
  );
  const single = media['example'] ?? resolveReference(document, media['schema'])['example'];
  const list = single === undefined ? named : [{ summary: 'Example', value: single }];
  return list.map((each) => ({
    title: text(each['summary']) || 'Example',
    text: typeof each['value'] === 'string' ? each['value'] : JSON.stringify(each['value'], undefined, 2),
  }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
