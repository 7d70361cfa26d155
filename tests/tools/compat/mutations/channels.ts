// What is sent through an operation, as plain JSON Schema: its request as one object and each of its answers as one.

import { listAddresses } from './servers.ts';

type Json = Record<string, unknown>;

/** What is sent one way: everything that a request may hold, or an answer with one status. */
export interface Channel {
  readonly name: string;
  readonly direction: 'request' | 'response';
  readonly schema: Json;
  /** Pointers of the schemas of which it is made. */
  readonly pointers: readonly string[];
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

interface Node {
  readonly value: Json;
  readonly pointer: string;
}

export function escape(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Follows references that are not between schemas. */
function at(root: Json, value: unknown, pointer: string): Node {
  const reference = (value as Json)['$ref'];
  if (typeof reference !== 'string') return { value: value as Json, pointer };
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, each) => (node as Json)[each.replaceAll('~1', '/').replaceAll('~0', '~')], root);
  return at(root, target, reference.slice(1));
}

function entries(root: Json, node: Node, keyword: string): (readonly [name: string, node: Node])[] {
  return Object.entries((node.value[keyword] ?? {}) as Json).map(
    ([name, value]) => [name, at(root, value, `${node.pointer}/${keyword}/${escape(name)}`)] as const,
  );
}

/** All channels of a document by name. */
export function listChannels(root: Json): ReadonlyMap<string, Channel> {
  const channels: Channel[] = [];
  for (const area of ['paths', 'webhooks'])
    for (const [path, item] of entries(root, { value: root, pointer: '' }, area))
      for (const method of METHODS)
        if (item.value[method] !== undefined) {
          const operation = at(root, item.value[method], `${item.pointer}/${method}`);
          const name = `${method} ${path}`;
          if (area === 'webhooks') channels.push(sentChannel(root, name, item, operation));
          else
            channels.push(
              requestChannel(root, name, item, operation),
              ...answerChannels(root, name, operation),
            );
        }
  return new Map(channels.map((channel) => [channel.name, channel]));
}

interface Part {
  readonly name: string;
  readonly pointer: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
}

function toPart(name: string, { value, pointer }: Node, isRequired: boolean): Part {
  return { name, pointer: `${pointer}/schema`, isRequired, schema: value['schema'] ?? true };
}

function parametersOf(root: Json, item: Node, operation: Node): readonly Part[] {
  return [item, operation].flatMap((node) =>
    ((node.value['parameters'] ?? []) as unknown[]).map((value, index) => {
      const parameter = at(root, value, `${node.pointer}/parameters/${index}`);
      const name = `${String(parameter.value['in'])} ${String(parameter.value['name'])}`;
      return toPart(name, parameter, parameter.value['required'] === true);
    }),
  );
}

function bodiesOf(root: Json, node: Node, isRequired: boolean): readonly Part[] {
  const types = entries(root, node, 'content');
  return types.map(([type, media]) => toPart(`body ${type}`, media, isRequired && types.length === 1));
}

function requestBodyOf(root: Json, operation: Node): readonly Part[] {
  if (operation.value['requestBody'] === undefined) return [];
  const body = at(root, operation.value['requestBody'], `${operation.pointer}/requestBody`);
  return bodiesOf(root, body, body.value['required'] === true);
}

/** The pointer of a schema that stands in no document. */
const NOWHERE = '';

function requestChannel(root: Json, name: string, item: Node, operation: Node): Channel {
  const addresses = { enum: listAddresses(root, item.value, operation.value) };
  const server = { name: 'server', pointer: NOWHERE, isRequired: true, schema: addresses };
  const parts = [server, ...parametersOf(root, item, operation), ...requestBodyOf(root, operation)];
  return toChannel(`${name} request`, 'request', parts, false);
}

/** A message of a webhook is sent by the service. */
function sentChannel(root: Json, name: string, item: Node, operation: Node): Channel {
  const parts = [...parametersOf(root, item, operation), ...requestBodyOf(root, operation)];
  return toChannel(`${name} message`, 'response', parts, true);
}

function answerChannels(root: Json, name: string, operation: Node): readonly Channel[] {
  return entries(root, operation, 'responses').map(([status, response]) => {
    const headers = entries(root, response, 'headers').map(([header, node]) =>
      toPart(`header ${header}`, node, node.value['required'] === true),
    );
    return toChannel(`${name} ${status}`, 'response', [...headers, ...bodiesOf(root, response, true)], true);
  });
}

function toChannel(
  name: string,
  direction: Channel['direction'],
  parts: readonly Part[],
  isOpen: boolean,
): Channel {
  return {
    name,
    direction,
    pointers: parts
      .filter(({ schema, pointer }) => schema !== true && pointer !== NOWHERE)
      .map(({ pointer }) => pointer),
    schema: {
      type: 'object',
      properties: Object.fromEntries(parts.map((part) => [part.name, part.schema])),
      required: parts.filter(({ isRequired }) => isRequired).map((part) => part.name),
      ...(isOpen ? {} : { additionalProperties: false }),
    },
  };
}
