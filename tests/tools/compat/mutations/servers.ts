// Where requests are sent to, as a part of what a request holds, and random changes of it.
type Json = Record<string, unknown>;

interface Server {
  readonly url: string;
  readonly variables?: Readonly<
    Record<string, { readonly enum: readonly string[]; readonly default: string }>
  >;
}

/** Every address that an operation may be sent to; the nearest list of servers counts. */
export function listAddresses(root: Json, item: Json, operation: Json): readonly string[] {
  const lists = [operation, item, root].map((node) => (node['servers'] ?? []) as readonly Server[]);
  const servers = lists.find((list) => list.length > 0) ?? [{ url: '/' }];
  return servers.flatMap(expand);
}

/** The addresses of a server, one for each value of its variables. */
function expand({ url, variables = {} }: Server): readonly string[] {
  return Object.entries(variables).reduce<readonly string[]>(
    (urls, [name, variable]) =>
      urls.flatMap((each) => variable.enum.map((value) => each.replaceAll(`{${name}}`, value))),
    [url],
  );
}

const OTHERS: readonly Server[] = [
  { url: 'https://other.example' },
  {
    url: 'https://{region}.example/{stage}',
    variables: { region: { enum: ['at', 'de'], default: 'at' }, stage: { enum: ['live'], default: 'live' } },
  },
];

/** Changes the servers of the document, a path or an operation in place. */
export function changeServers(root: Json, item: Json, operation: Json, random: () => number): string {
  const places = { document: root, path: item, operation } as const;
  const names = ['document', 'path', 'operation'] as const;
  const name = names[Math.floor(random() * names.length)] ?? 'document';
  const present = (root['servers'] ?? []) as readonly Server[];
  const others = OTHERS.slice(0, 1 + Math.floor(random() * OTHERS.length));
  const isReplaced = random() < 0.5;
  places[name]['servers'] = isReplaced ? others : [...present, ...others];
  return `servers of the ${name} ${isReplaced ? 'replaced' : 'added'}`;
}
