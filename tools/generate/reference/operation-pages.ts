import type { BodyView, OperationView, ParameterView, ResponseView } from './operation-view.ts';
import type { ExampleSource } from '../example-sources.ts';
import { addressOfCode, addressOfOperation, fence, firstSentence, joinBlocks } from './pages.ts';
import type { Page } from './pages.ts';
import type { Field } from './schema-fields.ts';
import type { Rule } from './schema-rules.ts';
import { writeSnippets } from './snippets.ts';

/** The page of an operation, or of a message that the service sends. */
export function writeOperationPage(operation: OperationView): Page {
  const { message, parameters, body, responses, summary } = operation;
  const isMessage = message !== undefined;
  const headers = parameters.filter(({ location }) => location === 'header');
  const fields = [...(body?.fields ?? []), ...responses.flatMap((each) => each.body?.fields ?? [])];
  return {
    path: addressOfOperation(operation),
    title: summary,
    label: summary,
    group: operation.tag,
    summary: firstSentence(operation.description),
    markdown: joinBlocks(
      writeHead(operation),
      operation.description,
      isMessage ? '' : writeCalls(operation),
      isMessage ? writeParameters('Headers', headers) : writeParameters('Parameters', parameters),
      writeRules(operation.rules),
      body === undefined ? '' : writeBody('Body', body, { limit: operation.mostBodyBytes }),
      isMessage ? writeExpectedAnswers(responses) : writeAnswers(responses),
    ),
    terms: [
      operation.id,
      ...(isMessage ? [message] : [operation.method, operation.path]),
      ...[...parameters, ...fields].map(({ name }) => name),
    ],
    prose: operation.description,
  };
}

function writeHead({ id, message, method, path, access, isExtension, isDeprecated }: OperationView): string {
  const notes = [
    message === undefined ? `\`${method} ${path}\`` : `Message \`${message}\``,
    ...(message === undefined ? [`\`operationId\` \`${id}\``] : []),
    ...(access === 'none' && message === undefined ? ['no token'] : []),
    ...(isExtension ? ['extension'] : []),
    ...(isDeprecated ? ['deprecated'] : []),
  ];
  return notes.join(' · ');
}

function writeCalls(operation: OperationView): string {
  const snippets = writeSnippets(operation);
  const variables = [...new Set(snippets[0]?.code.match(/\$[A-Z_]+/g) ?? [])].map(
    (name) => `\`${name.slice(1)}\``,
  );
  const encoded = operation.parameters.filter(
    ({ location, format }) => location === 'path' && format !== 'uuid',
  );
  const inCurl = encoded
    .map(({ name }) => ` For curl \`${name.toUpperCase()}\` is percent-encoded.`)
    .join('');
  const given =
    variables.length === 0
      ? ''
      : `Environment variables give the values that are yours: ${variables.join(', ')}.${inCurl}`;
  const blocks = snippets.map(({ language, code, title }) => fence(language, code, title));
  return joinBlocks('## Call', given, ...blocks).trimEnd();
}

function writeParameters(heading: string, parameters: readonly ParameterView[]): string {
  if (parameters.length === 0) return '';
  const lines = parameters.map((each) =>
    [writeField(each, [heading === 'Headers' ? '' : each.location, each.type]), writeSource(each.source)]
      .join(' ')
      .trimEnd(),
  );
  return joinBlocks(`## ${heading}`, lines.join('\n')).trimEnd();
}

/** The answer that a caller takes the value from. */
function writeSource(source: ExampleSource | undefined): string {
  if (source === undefined || source.kind === 'uuid') return '';
  const { operationId: id } = source;
  return `For example ${nameOfPart(source)} in the answer of [${id}](${addressOfOperation({ id, message: undefined })}).`;
}

function nameOfPart(source: Exclude<ExampleSource, { kind: 'uuid' }>): string {
  if (source.kind === 'header') return `the header \`${source.header}\``;
  const place = `\`${source.pointer}\``;
  return source.query === undefined ? place : `\`${source.query}\` of the address ${place}`;
}

/** A line of a list: the name, the type, for which of several choices, the description, the bounds. */
function writeField(field: Field, kinds: readonly string[]): string {
  const { name, isRequired, bounds, description, only } = field;
  const kind = [...kinds, isRequired ? 'required' : ''].filter((part) => part !== '').join(', ');
  const choices = only.length === 0 ? '' : `For ${only.map((each) => `\`${each}\``).join(', ')}.`;
  const text = [choices, toLine(description), bounds === '' ? '' : `*${bounds}*`]
    .filter((part) => part !== '')
    .join(' ');
  return `- \`${name}\` (${kind})${text === '' ? '' : `: ${text}`}`;
}

function toLine(markdown: string): string {
  return markdown.trim().replaceAll(/\s*\n\s*/g, ' ');
}

interface BodyText {
  readonly description?: string;
  /** Bytes. */
  readonly limit?: number | undefined;
  readonly headers?: readonly Field[];
}

function writeBody(heading: string, body: BodyView, { description, limit, headers = [] }: BodyText): string {
  const fields = body.fields.map((field) => writeField(field, [field.type]));
  const examples = body.examples.map(({ title, value }) =>
    typeof value === 'string'
      ? fence('text', value, title)
      : fence('json', JSON.stringify(value, undefined, 2), title),
  );
  const types = body.types.map((type) => `\`${type}\``).join(', ');
  const most = limit === undefined ? '' : `, at most ${limit.toLocaleString('en')} bytes`;
  return joinBlocks(
    `## ${heading}`,
    `${types}${most}`,
    description ?? body.description,
    writeHeaders(headers),
    fields.join('\n'),
    writeRules(body.rules),
    ...examples,
  ).trimEnd();
}

function writeRules(rules: readonly Rule[]): string {
  if (rules.length === 0) return '';
  const lines = rules.map(
    ({ fields, rule, code }) =>
      `- ${fields.map((name) => `\`${name}\``).join(', ')}: ${rule} ${linkToCode(code)}`,
  );
  return joinBlocks('What must hold of several fields:', lines.join('\n')).trimEnd();
}

function writeHeaders(headers: readonly Field[]): string {
  if (headers.length === 0) return '';
  const lines = headers.map((header) => writeField(header, [header.type]));
  return joinBlocks('Headers:', lines.join('\n'), 'Fields:').trimEnd();
}

function writeAnswers(responses: readonly ResponseView[]): string {
  const successes = responses.filter(({ status }) => status.startsWith('2'));
  const errors = responses.filter(({ status }) => !status.startsWith('2'));
  const answers = successes.map(({ status, description, body, headers }) =>
    body === undefined
      ? joinBlocks(`## Answer ${status}`, description).trimEnd()
      : writeBody(`Answer ${status}`, body, { description, headers }),
  );
  const lines = errors.map(({ status, description, codes }) => {
    const head = [`**${status}**`, ...codes.problems.map(linkToCode)].join(' ');
    const fields =
      codes.fields.length === 0 ? '' : ` Codes of \`errors\`: ${codes.fields.map(linkToCode).join(', ')}.`;
    return `- ${head}: ${toLine(description)}${fields}`;
  });
  return joinBlocks(...answers, errors.length === 0 ? '' : '## Errors', lines.join('\n')).trimEnd();
}

function linkToCode(code: string): string {
  return `[\`${code}\`](${addressOfCode(code)})`;
}

/** What the service makes of the answers to a message. */
function writeExpectedAnswers(responses: readonly ResponseView[]): string {
  const lines = responses.map(({ status, description }) => `- **${status}**: ${toLine(description)}`);
  return joinBlocks('## Answers', lines.join('\n')).trimEnd();
}
