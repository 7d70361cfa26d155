/** A call of the API as a page shows it. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind `/api/partners/v2.0`. */
  readonly path: string;
  readonly body?: unknown;
}

/** The call in curl, with the reader's ids. What is secret stands there as a variable of the shell. */
export function formatApiCall(baseUrl: string, { method, path, body }: ApiCall): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
        ]),
    `"${baseUrl}/api/partners/v2.0${path}"`,
  ];
  return lines.join(' \\\n  ');
}
