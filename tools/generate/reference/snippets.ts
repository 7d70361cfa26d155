import type { OperationView, ParameterView } from './operation-view.ts';
import { formatPython, formatTypeScript } from './literals.ts';

/** How the call of an operation is written in a language. */
export interface Snippet {
  readonly title: string;
  /** The name of the language in a code fence. */
  readonly language: 'sh' | 'ts' | 'python';
  readonly code: string;
}

const SERVER = 'http://localhost:8080';
const JSON_TYPE = 'application/json';

/** What the three languages have in common: where values come from, and what is sent. */
interface Call {
  readonly operation: OperationView;
  /** Environment variables, in the order of their use. */
  readonly variables: readonly string[];
  readonly body: unknown;
  readonly isStream: boolean;
  readonly hasAnswer: boolean;
}

/**
 * The call of an operation in curl, TypeScript and Python with nothing but the standard library: identifiers and secrets come
 * from environment variables, everything else is the document's first example.
 */
export function writeSnippets(operation: OperationView): Snippet[] {
  const [example] = operation.body?.examples ?? [];
  const answer = operation.responses.find(({ status }) => status.startsWith('2'))?.body;
  const ids = operation.parameters.filter(isVariable).map(({ name }) => variableOf(name));
  const credentials = { token: ['TOKEN'], client: ['CLIENT_ID', 'CLIENT_SECRET'], none: [] };
  const call: Call = {
    operation,
    variables: [...credentials[operation.access], ...ids],
    body: operation.body?.isRequired === false && isEmpty(example?.value) ? undefined : example?.value,
    isStream: answer?.types[0] === 'text/event-stream',
    hasAnswer: answer !== undefined,
  };
  return [
    { title: 'curl', language: 'sh', code: writeCurl(call) },
    { title: 'TypeScript', language: 'ts', code: writeTypeScript(call) },
    { title: 'Python', language: 'python', code: writePython(call) },
  ];
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Whether a parameter is an identifier or a secret, which no example can give. */
function isVariable({ location, isRequired, name }: ParameterView): boolean {
  return location === 'path' || (isRequired && name === 'secret');
}

function variableOf(name: string): string {
  return name.toUpperCase();
}

/** The address, with identifiers put in by `insert`; `null` format stands for a text that has to be percent-encoded. */
function addressOf({ operation }: Call, insert: (variable: string, isPlain: boolean) => string): string {
  const find = (name: string) => operation.parameters.find((each) => each.name === name);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    insert(variableOf(name), find(name)?.format === 'uuid'),
  );
  const query = operation.parameters
    .filter(({ location, isRequired }) => location === 'query' && isRequired)
    .map((each) => {
      const value = isVariable(each)
        ? insert(variableOf(each.name), false)
        : encodeURIComponent(each.example ?? '');
      return `${each.name}=${value.replaceAll('%3A', ':')}`;
    });
  return `${SERVER}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function writeCurl(call: Call): string {
  const { operation, body } = call;
  const method = operation.method === 'GET' || (operation.method === 'POST' && body !== undefined);
  const address = addressOf(call, (variable) => `$${variable}`);
  const lines = [
    `curl -sS --fail-with-body${call.isStream ? ' --no-buffer' : ''}${method ? '' : ` -X ${operation.method}`} "${address}"`,
    ...(operation.access === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(operation.access === 'client' ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...(call.isStream ? ["-H 'Accept: text/event-stream'"] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: ${JSON_TYPE}'`, `-d '${quoteForShell(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function quoteForShell(body: unknown): string {
  return JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ');
}

function writeTypeScript(call: Call): string {
  const { operation, body, variables } = call;
  const address = addressOf(call, (variable, isPlain) =>
    isPlain ? `\${${variable}}` : `\${encodeURIComponent(${variable} ?? '')}`,
  );
  const quote = address.includes('${') ? '`' : "'";
  const authorization = {
    token: ['Authorization: `Bearer ${TOKEN}`,'],
    client: ["Authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,"],
    none: [],
  };
  const headers = [
    ...authorization[operation.access],
    ...(call.isStream ? ["Accept: 'text/event-stream',"] : []),
    ...(body === undefined ? [] : [`'Content-Type': '${JSON_TYPE}',`]),
  ];
  const options = [
    ...(operation.method === 'GET' ? [] : [`  method: '${operation.method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map((line) => `    ${line}`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${formatTypeScript(body, '  ')}),`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return [
    ...(variables.length === 0 ? [] : [`const { ${variables.join(', ')} } = process.env;`, '']),
    `const response = await fetch(${quote}${address}${quote}${given});`,
    ...typeScriptAnswer(call),
  ].join('\n');
}

function typeScriptAnswer({ isStream, hasAnswer }: Call): string[] {
  if (isStream) {
    return [
      'if (!response.ok || response.body === null) throw new Error(await response.text());',
      'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);',
    ];
  }
  return [
    'if (!response.ok) throw new Error(await response.text());',
    hasAnswer ? 'console.log(await response.json());' : 'console.log(response.status);',
  ];
}

function writePython(call: Call): string {
  const { operation, body, variables } = call;
  const address = addressOf(call, (variable, isPlain) => {
    const name = variable.toLowerCase();
    return isPlain ? `{${name}}` : `{urllib.parse.quote(${name}, safe='')}`;
  });
  const headers = [
    ...(operation.access === 'token' ? ['"Authorization": f"Bearer {token}",'] : []),
    ...(operation.access === 'client' ? ['"Authorization": f"Basic {credentials}",'] : []),
    ...(call.isStream ? ['"Accept": "text/event-stream",'] : []),
    ...(body === undefined ? [] : [`"Content-Type": "${JSON_TYPE}",`]),
  ];
  const modules = [
    ...(operation.access === 'client' ? ['base64'] : []),
    ...(body !== undefined || (call.hasAnswer && !call.isStream) ? ['json'] : []),
    ...(variables.length === 0 ? [] : ['os']),
    ...(address.includes('urllib.parse') ? ['urllib.parse'] : []),
    'urllib.request',
  ];
  return [
    ...modules.map((name) => `import ${name}`),
    '',
    ...variables.map((name) => `${name.toLowerCase()} = os.environ["${name}"]`),
    ...(operation.access === 'client'
      ? ['credentials = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()']
      : []),
    ...(variables.length === 0 ? [] : ['']),
    'request = urllib.request.Request(',
    `    ${address.includes('{') ? 'f' : ''}"${address}",`,
    ...(operation.method === 'GET' ? [] : [`    method="${operation.method}",`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers.map((line) => `        ${line}`), '    },']),
    ...(body === undefined ? [] : [`    data=json.dumps(${formatPython(body, '    ')}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    ...pythonAnswer(call),
  ].join('\n');
}

function pythonAnswer({ isStream, hasAnswer }: Call): string[] {
  if (isStream) return ['    for line in response:', '        print(line.decode(), end="")'];
  return [hasAnswer ? '    print(json.dumps(json.load(response), indent=2))' : '    print(response.status)'];
}
