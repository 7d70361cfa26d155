import { Ajv2020 } from 'ajv/dist/2020.js';
import { _ } from 'ajv/dist/core.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { resolveReference, listOperations } from './document.ts';
import type { OpenApiDocument, Operation, Parameter } from './document.ts';
import * as formats from '../../src/domain/api/formats.ts';

type Schema = Record<string, unknown>;
type Content = NonNullable<Operation['requestBody']>['content'];

/** Only OAuth's operations take forms. They validate them themselves, since RFC 6749 has other errors. */
export const FORM = 'application/x-www-form-urlencoded';
const FORMATS_MODULE = '../src/domain/api/formats.ts';

/** Where the values of a request come from: member of `Request` in src/contract, name of the generated files. */
const SOURCES = [
  { member: 'path', location: 'path', file: 'validate-paths' },
  { member: 'query', location: 'query', file: 'validate-queries' },
  { member: 'headers', location: 'header', file: 'validate-headers' },
] as const;

/**
 * Standalone validators, so that no schema is compiled while requests run: five modules, each with a function for each
 * operation. Bodies are validated as sent; values of path, query and headers are coerced from text, and their defaults
 * filled in. A body's defaults belong to the operations, because some depend on other fields (the count of a fleet).
 * Of a body `validate-bodies` finds the first error only, `find-body-errors` at most `mostErrors`: what a body costs grows
 * with its bytes, and not with its errors.
 */
export function generateValidatorFiles(document: OpenApiDocument, mostErrors: number): Map<string, string> {
  const operations = listOperations(document).filter(
    ({ operation }) => !(FORM in bodyContent(document, operation)),
  );
  const bodies = new Map<string, Schema>();
  for (const { operation } of operations) {
    const body = bodyContent(document, operation)['application/json']?.schema as Schema | undefined;
    if (body !== undefined) bodies.set(operation.operationId, body);
  }
  const files = new Map([
    ['generated/validate-bodies.js', compile(document, bodies, { fromText: false, allErrors: false })],
    ['generated/validate-bodies.d.ts', declarations(bodies, 'body')],
    [
      'generated/find-body-errors.js',
      withErrorLimit(compile(document, bodies, { fromText: false, allErrors: true }), mostErrors),
    ],
    ['generated/find-body-errors.d.ts', declarations(bodies, 'body')],
  ]);
  for (const { member, location, file } of SOURCES) {
    const schemas = new Map<string, Schema>();
    for (const { operation, parameters } of operations) {
      const list = parameters.filter((each) => each.in === location);
      if (location !== 'header' || list.length > 0)
        schemas.set(operation.operationId, parametersSchema(list));
    }
    files.set(`generated/${file}.js`, compile(document, schemas, { fromText: true, allErrors: true }));
    files.set(`generated/${file}.d.ts`, declarations(schemas, member));
  }
  return files;
}

function bodyContent(document: OpenApiDocument, { requestBody }: Operation): Content {
  return requestBody === undefined
    ? {}
    : resolveReference<{ content: Content }>(document, requestBody).content;
}

function parametersSchema(list: readonly Parameter[]): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required: list.filter((each) => each.required === true).map((each) => each.name),
    properties: Object.fromEntries(list.map((each) => [each.name, each.schema])),
  };
}

interface CompileOptions {
  /** Values are read from text: of path, query and headers. */
  readonly fromText: boolean;
  readonly allErrors: boolean;
}

function compile(
  document: OpenApiDocument,
  schemas: ReadonlyMap<string, Schema>,
  { fromText, allErrors }: CompileOptions,
): string {
  const ajv = new Ajv2020({
    allErrors,
    messages: false,
    strict: false,
    strictNumbers: true,
    coerceTypes: fromText ? 'array' : false,
    useDefaults: fromText,
    // A hint for languages that have several integers.
    formats: { ...formats.formats, int64: true },
    code: { source: true, esm: true, lines: true, formats: _`formatsModule.formats` },
  });
  ajv.addSchema({ $id: 'components', $defs: localReferences(document.components.schemas) });
  // Operations with the same schema have one function: the first one's.
  const firsts = new Map<string, string>();
  const aliases: string[] = [];
  for (const [name, schema] of schemas) {
    const text = JSON.stringify(schema);
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, name);
    else aliases.push(`export const ${name} = ${first};`);
  }
  for (const [text, name] of firsts)
    ajv.addSchema({ $id: `op_${name}`, ...localReferences(JSON.parse(text) as Schema) });
  const exported = Object.fromEntries([...firsts.values()].map((name) => [name, `op_${name}`]));
  return withImports([standaloneCode.default(ajv, exported), ...aliases].join('\n'));
}

/**
 * Makes each function of the code return once it has found so many errors; ajv has no such limit. Errors of branches of
 * `anyOf` that are discarded are taken off ajv's own count, so that they do not use up the limit.
 */
function withErrorLimit(code: string, most: number): string {
  let name = '';
  return code
    .split('\n')
    .map((line) => {
      name = /^function (validate\d+)\(/.exec(line)?.[1] ?? name;
      if (line !== 'errors++;' && line !== 'errors = vErrors.length;') return line;
      return `${line}\nif(errors >= ${most}){\n${name}.errors = vErrors;\nreturn false;\n}`;
    })
    .join('\n');
}

function localReferences(node: Schema): Schema {
  const text = JSON.stringify(node, (_key, value: unknown) => {
    if (isNeverTaken(value)) return { not: {} };
    return isEmpty(value) ? { ...value, additionalProperties: false } : value;
  });
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"components#/$defs/')) as Schema;
}

/** Of what cannot be changed the type is a hint for generated clients: any value is the same one error. */
function isNeverTaken(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'x-immutable' in value;
}

/** Of what is always empty the values are a hint for generated clients: any property is the same one error. */
function isEmpty(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'maxProperties' in value && value.maxProperties === 0;
}

/** ajv writes `require` for its run-time parts even in modules; they become imports. */
function withImports(code: string): string {
  const imports = [`import * as formatsModule from '${FORMATS_MODULE}';`];
  const names = new Map<string, string>();
  const body = code.replace(/require\("([^"]+)"\)/g, (_match, path: string) => {
    const name = names.get(path) ?? `runtime${names.size}`;
    if (!names.has(path))
      imports.push(`import * as ${name}Module from '${path}.js';\nconst ${name} = ${name}Module.default;`);
    names.set(path, name);
    return name;
  });
  return `// Generated by \`make generate\`; do not edit.\n${imports.join('\n')}\n${body}\n`;
}

/** A validator is a type guard: what has passed it is the member of the operation's request. */
function declarations(schemas: ReadonlyMap<string, Schema>, member: string): string {
  const lines = [
    '// Generated by `make generate`; do not edit.',
    "import type { ValidateFunction } from 'ajv';",
    "import type { Request } from '../src/contract/handlers.ts';",
    ...[...schemas.keys()].map(
      (name) => `export const ${name}: ValidateFunction<Request<'${name}'>['${member}']>;`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
