// Decides by instances, without the comparison, whether a change breaks: ajv asks both documents.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { listInstances } from './instances.ts';
import type { Channel } from './channels.ts';

type Json = Record<string, unknown>;

/** What proves that a change breaks: something that may be sent and is not valid on the other side. */
export interface Witness {
  readonly channel: string;
  readonly instance: unknown;
}

const FORMATS: Readonly<Record<string, RegExp | true>> = {
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  instant: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@ ]+@[^@ ]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
};

/** A document whose channels can be asked whether they take something. */
export class DocumentValidator {
  readonly root: Json;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(root: Json) {
    this.root = root;
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: true, logger: false });
    for (const [name, format] of Object.entries(FORMATS)) this.#ajv.addFormat(name, format);
    this.#ajv.addFormat('int32', { type: 'number', validate: (n: number) => Math.abs(n) <= 2 ** 31 });
    this.#ajv.addSchema({ components: root['components'] }, 'document');
  }

  accepts(channel: Channel, instance: unknown): boolean {
    let validate = this.#validators.get(channel.name);
    if (validate === undefined) {
      validate = this.#ajv.compile(withReferences(channel.schema) as Json);
      this.#validators.set(channel.name, validate);
    }
    return validate(instance);
  }
}

/** References of a schema that is taken out of its document lead back into it. */
function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name]) => name !== 'discriminator')
      .map(([name, value]) =>
        name === '$ref' && typeof value === 'string'
          ? [name, `document${value}`]
          : [name, withReferences(value)],
      ),
  );
}

/**
 * Something that shows that a change of a channel breaks: a request that the old document takes and the new one refuses, or
 * an answer that only the new one allows. Undefined when none was found, which proves nothing.
 */
export function findWitness(
  channel: Channel,
  next: Channel | undefined,
  [old, now]: readonly [DocumentValidator, DocumentValidator],
  seed: number,
): Witness | undefined {
  if (next === undefined) return { channel: channel.name, instance: 'the operation is gone' };
  const [sender, receiver] =
    channel.direction === 'request'
      ? [
          { validators: old, channel },
          { validators: now, channel: next },
        ]
      : [
          { validators: now, channel: next },
          { validators: old, channel },
        ];
  const said = listSaid(receiver.channel.schema, receiver.validators.root);
  const instances = listInstances(sender.channel.schema, { ...said, root: sender.validators.root, seed });
  const instance = instances.find(
    (each) =>
      sender.validators.accepts(sender.channel, each) && !receiver.validators.accepts(receiver.channel, each),
  );
  return instance === undefined ? undefined : { channel: channel.name, instance };
}

/** The names of properties and the texts of constants in a schema and in what it refers to. */
function listSaid(schema: unknown, root: Json): { readonly names: string[]; readonly values: string[] } {
  const names = new Set<string>();
  const values = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    for (const [name, value] of Object.entries(node)) {
      if (name === 'properties') Object.keys(value as Json).forEach((each) => names.add(each));
      if (name === '$ref' && typeof value === 'string') visit(followIn(root, value));
      if (name === 'const' && typeof value === 'string') values.add(value);
      visit(value);
    }
  };
  visit(schema);
  return { names: [...names], values: [...values] };
}

function followIn(root: Json, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, each) => (node as Json | undefined)?.[each.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );
}
