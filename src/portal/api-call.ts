/** A call of the API as a page shows it. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind `/api/partners/v2.0`. */
  readonly path: string;
  readonly body?: unknown;
  /** The file that holds the body instead, when it is too long to be shown. */
  readonly bodyFile?: string;
}

/** The call in curl, with the reader's ids. What is secret stands there as a variable of the shell. */
export function formatApiCall(baseUrl: string, { method, path, body, bodyFile }: ApiCall): string {
  const text = body === undefined ? undefined : JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  const data = bodyFile === undefined ? text : `@${bodyFile}`;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN"`,
    ...(data === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${data}'`]),
    `"${baseUrl}/api/partners/v2.0${path}"`,
  ];
  return lines.join(' \\\n  ');
}
