import { Writable } from 'node:stream';

/** What waits for the reader of a stream; beyond, lines are lost. */
const MAX_WAITING_BYTES = 1_048_576;

/**
 * Lines for a stream whose reader may be slow or gone. While more than 1 MiB waits for it, and from then on until it has taken all,
 * further lines are lost; `onLost` hears then how many. Writing never waits and never fails.
 */
export function createLineOutput(stream: Writable, onLost: (lines: number) => void): Writable {
  let lost = 0;
  const tell = (): void => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    onLost(lines);
  };
  stream.on('drain', tell);
  return new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, done) => {
      if (stream.writableLength > (lost > 0 ? 0 : MAX_WAITING_BYTES)) lost += 1;
      else {
        stream.write(line);
        // A stream that has failed forgets what waited, and says nothing of room.
        tell();
      }
      done();
    },
  });
}
