/**
 * Where the value of an example comes from, as `x-example-from` says it:
 *
 *   createUser.response.body#/id                        the value at a JSON pointer of the answer
 *   createUser.minimal.response.body#/id                the same, of the answer to one of several examples
 *   listActions.response.body#/items/0/resolution/url?secret    a query parameter of the address that is there
 *   getUser.response.header.ETag                        a header of the answer
 *   uuid()                                              a UUID that is made for the request
 */
export type ExampleSource =
  | { readonly kind: 'uuid' }
  | (Answered & { readonly kind: 'header'; readonly header: string })
  | (Answered & { readonly kind: 'body'; readonly pointer: string; readonly query: string | undefined });

interface Answered {
  /** `createUser`, or `createUser.minimal` of an operation whose body has several examples. */
  readonly request: string;
  readonly operationId: string;
}

const SOURCE_PATTERN =
  /^(?<request>(?<operationId>\w+)(?:\.\w+)?)\.response\.(?:body#(?<pointer>\/[^?]+)(?:\?(?<query>\w+))?|header\.(?<header>[\w-]+))$/;

/** Throws where a text is no source. */
export function parseExampleSource(text: string): ExampleSource {
  if (text === 'uuid()') return { kind: 'uuid' };
  const found = SOURCE_PATTERN.exec(text)?.groups;
  if (found === undefined) throw new Error(`"${text}" does not say where an example comes from.`);
  const { request = '', operationId = '', pointer, query, header } = found;
  return header === undefined
    ? { kind: 'body', request, operationId, pointer: pointer ?? '', query }
    : { kind: 'header', request, operationId, header };
}
