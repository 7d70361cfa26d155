import { INLINE_BODY_BYTES } from '../compute/inline.ts';
import { readPriceText } from '../compute/price-text.ts';
import type { PriceText } from '../compute/price-text.ts';
import type { Context } from './context.ts';
import { runHeavyJob } from './heavy-jobs.ts';

/** A line as it was written, with its number, from 1 on. */
export interface TextLine {
  readonly text: string;
  readonly number: number;
}

/** What a text of prices was read as. */
export interface PriceLines extends Omit<PriceText, 'places'> {
  /** The line of an entry, by its place from 0 on; undefined where there is none. */
  readonly lineOf: (entry: number) => TextLine | undefined;
}

const encoder = new TextEncoder();

/**
 * Reads the lines of a text, of prices by the clocks of a zone, as the body of uploadDayAheadPrices: on a thread where it is long.
 * @throws Problem overloaded (503) when no thread is free in time.
 */
export async function readPriceLines(
  context: Context,
  hasTurn: boolean,
  text: string,
  zone: string,
): Promise<PriceLines> {
  const plain = text.replace(/^\uFEFF/, '');
  const input = { text: encoder.encode(plain), zone };
  const { places, ...read } =
    input.text.length <= INLINE_BODY_BYTES
      ? readPriceText(input)
      : await runHeavyJob(context, hasTurn, 'readPriceText', input);
  return {
    ...read,
    lineOf: (entry) => {
      const [start, end, number] = places.subarray(3 * entry, 3 * entry + 3);
      return number === undefined ? undefined : { text: plain.slice(start, end), number };
    },
  };
}
