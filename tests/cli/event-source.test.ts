import { expect, test } from 'vitest';
import { readEvents, type ReceivedEvent } from '../../src/cli/event-source.ts';

async function* split(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const stream = [
  ': a comment\n\n',
  'data: before any id\n\n',
  'id: 1\r\ndata: {"ä":1}\r\n\r\n',
  'event: other\ndata: first\ndata:second\nid:2\n\n',
  'data: the id stays\n\n',
  'id: 3\n\n',
  'data\n\n',
  'id: 4\ndata: not ended',
].join('');

test.each([1, 2, 3, 7, 1_000])('events come whole from chunks of %i bytes', async (size) => {
  const events: ReceivedEvent[] = [];
  for await (const event of readEvents(split(stream, size))) events.push(event);
  expect(events).toEqual([
    { id: '1', data: '{"ä":1}' },
    { id: '2', data: 'first\nsecond' },
    { id: '2', data: 'the id stays' },
    { id: '3', data: '' },
  ]);
});
