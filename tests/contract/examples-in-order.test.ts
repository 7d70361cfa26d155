// Whoever tries the document's examples from the first to the last, each with the ids that it says it has from earlier answers, is
// answered as the document says.
import { expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { ExampleRequest } from '../../tools/generate/example-requests.ts';
import { EXAMPLE_REQUESTS, exampleWorld } from './example-world.ts';
import { EXPECTED_OUTCOMES, sendDirectly, sendExamples } from './send-examples.ts';

const world = exampleWorld();

test('every operation has an example', () => {
  const shown = new Set(EXAMPLE_REQUESTS.map(({ operationId }) => operationId));
  expect(ROUTES.filter(({ operationId }) => !shown.has(operationId))).toEqual([]);
});

test('the examples succeed in their order', async () => {
  expect(await sendExamples(world, sendDirectly(world))).toEqual(EXPECTED_OUTCOMES);
});

test('an example that cannot succeed is told: a request id that is taken, a value that no answer gave', async () => {
  const find = (name: string): ExampleRequest => {
    const found = EXAMPLE_REQUESTS.find((each) => each.name === name);
    if (found === undefined) throw new Error(`The document has no example ${name}.`);
    return found;
  };
  const [fleet, preview] = [find('createFleet.groups'), find('previewFleet')];
  const { request_id: id } = fleet.body?.value as { request_id: string };
  const body = { type: 'application/json', value: { ...(preview.body?.value as object), request_id: id } };
  const requests = [
    find('issueToken.clientCredentials'),
    fleet,
    { ...preview, body },
    find('getUserHeatPump'),
  ];
  expect(await sendExamples(world, sendDirectly(world), requests)).toEqual([
    ['issueToken.clientCredentials', 200],
    ['createFleet.groups', 200],
    ['previewFleet', expect.stringMatching(/^422 .*"request_id_reused"/)],
    ['getUserHeatPump', expect.stringContaining('No user_id for getUserHeatPump')],
  ]);
});
