import { expect, test } from 'vitest';
import { listOperationViews } from '../../../tools/generate/reference/operation-view.ts';
import { writeSnippets } from '../../../tools/generate/reference/snippets.ts';

/** The code of one operation that has whatever is hard to write in each language. */
function snippetsOf(body: unknown): string[] {
  const content = { 'application/json': { schema: { type: 'object' }, example: body } };
  const parameters = [
    { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'from',
      in: 'query',
      required: true,
      schema: { type: 'string' },
      example: '2026-11-21T09:15+01:00',
    },
    { name: 'limit', in: 'query', schema: { type: 'integer' }, example: 5 },
  ];
  const operation = {
    operationId: 'put',
    parameters,
    requestBody: { required: true, content },
    responses: { 204: { description: 'Done.' } },
  };
  const [view] = listOperationViews({
    security: [{ oauth2: [] }],
    paths: { '/a/{name}': { put: operation } },
  });
  return view === undefined ? [] : writeSnippets(view).map(({ code }) => code);
}

test('quotes, line breaks, null, lists and other values are written as each language writes them', () => {
  const [curl, typeScript, python] = snippetsOf({
    "it's": 'a "b" \\ \n $c',
    list: [null, true, 1.5, {}],
    'x-y': [],
  });
  expect(curl)
    .toBe(`curl -sS --fail-with-body -X PUT "http://localhost:8080/a/$NAME?from=2026-11-21T09:15%2B01:00" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "it'\\''s": "a \\"b\\" \\\\ \\n $c",
    "list": [
      null,
      true,
      1.5,
      {}
    ],
    "x-y": []
  }'`);
  expect(typeScript).toBe(`const { TOKEN, NAME } = process.env;

const response = await fetch(\`http://localhost:8080/a/\${encodeURIComponent(NAME ?? '')}?from=2026-11-21T09:15%2B01:00\`, {
  method: 'PUT',
  headers: {
    Authorization: \`Bearer \${TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    'it\\'s': 'a "b" \\\\ \\n $c',
    list: [null, true, 1.5, {}],
    'x-y': [],
  }),
});
if (!response.ok) throw new Error(await response.text());
console.log(response.status);`);
  expect(python).toBe(`import json
import os
import urllib.parse
import urllib.request

token = os.environ["TOKEN"]
name = os.environ["NAME"]

request = urllib.request.Request(
    f"http://localhost:8080/a/{urllib.parse.quote(name, safe='')}?from=2026-11-21T09:15%2B01:00",
    method="PUT",
    headers={
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
    },
    data=json.dumps({
        "it's": "a \\"b\\" \\\\ \\n $c",
        "list": [None, True, 1.5, {}],
        "x-y": [],
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.status)`);
});
