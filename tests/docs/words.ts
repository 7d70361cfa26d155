import type { SourceFile } from './repository.ts';

/** A word that was dropped: what is said instead, and where it may stand all the same. */
export interface DroppedWord {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Lines that match are in order. */
  readonly except?: RegExp;
  /** The files in which it was dropped; all by default. */
  readonly files?: RegExp;
}

/** One word for one thing: these are the ones that lost. */
export const DROPPED_WORDS: readonly DroppedWord[] = [
  { pattern: /delivery_places|LeasedPlace|StreamPlace|PlaceIn/, instead: 'in-flight slots, stream cursor' },
  {
    pattern: /text-faults|[tT]extFaults|userFaults|definitionFaults|bodyFaults|parameterFaults/,
    instead: 'errors',
  },
  {
    pattern: /\bjudg(?:e|es|ed|ing)\b|\bJudge\w*|\bjudge[A-Z]\w*/i,
    instead: 'validate, verify, decide; a foreign verifier',
  },
  {
    pattern: /\blocators?\b|\bLocate(?! a )\b|\blocate[A-Z]\w*/,
    instead: 'existence check',
    except: /\.locator\(/,
  },
  { pattern: /\bunreadable\b/i, instead: 'client error; undecryptable' },
  { pattern: /\bdrained\b/i, instead: 'waitForDrain' },
  { pattern: /\b(?:un|re)?seal(?:s|ed|ing)?\b|_sealed\b|[sS]ealed[A-Z]|\bSealed\b/i, instead: 'encrypted' },
  { pattern: /\bbox: (?:Buffer|Uint8Array)|\bits box\b|\ba box moved\b/, instead: 'ciphertext' },
  { pattern: /\bKept[A-Z]\w*|\bKept\b(?=\s*[<{;,)>|=])/, instead: 'Stored' },
  { pattern: /\bliveSchedules\b|src\/live\b|\bLive[A-Z]\w*/, instead: 'households', except: /LiveSocket/ },
  { pattern: /\btake(?:Spare)?Turn\b|\bTakeTurn\b/, instead: 'yieldToEventLoop, yieldLowPriority' },
  {
    pattern: /\blookAt\b|\bSeen\b(?=[\s{<;,)|])/,
    instead: 'advanceCounters',
    except: /\/\/.*Seen|\* Seen|'Seen/,
  },
  { pattern: /\bDayMemory\b|\b(?:new|class) Memory\b/, instead: 'BoundedCache, DayCache' },
  {
    pattern: /\b[sS]tretch(?:es|esOf)?\b/,
    instead: 'day segment',
    except: /stretch(?:ed)?\b.*(?:css|flex|align)|(?:align|justify)[\w-]*: stretch/,
  },
  { pattern: /\bturnFaultClock\b/, instead: 'applyDueFaults' },
  { pattern: /\bworkOff\b/, instead: 'drainQueue' },
  // Of a density it is the word: somebody paints it with a brush.
  { pattern: /#blow\b|\bpaint(?:s|ed|er)?\b|Painter\b/i, instead: 'fill; draw', files: /simulation/ },
  { pattern: /\bmeridian\b/i, instead: 'antimeridian; longitude', except: /180th meridian/ },
  { pattern: /\bfaults: (?:readonly )?FieldError|\b[aA]ll faults at once\b/, instead: 'errors' },
  { pattern: /\bpace\b(?= =|\.)|\bPace\b(?=[.(])/, instead: 'time slicer' },
  { pattern: /\bhangs? on\b|\bhanging on\b/i, instead: 'depends on' },
  { pattern: /how-manieth/i, instead: 'zero-based index' },
  { pattern: /\bin earnest\b/i, instead: 'in production' },
  { pattern: /tells? no time/i, instead: 'has no instant' },
  { pattern: /stands? twice/i, instead: 'is repeated' },
  { pattern: /since whenever/i, instead: 'monotonic milliseconds' },
  { pattern: /\bwish(?:es|ed)?\b/i, instead: 'requested energy' },
  { pattern: /\bLedger\b|\bledger\b/, instead: 'counter accumulator' },
];

/** Lines of a file that say a dropped word, each with what is said instead; names of files count too. */
export function droppedWordsIn({ path, text }: SourceFile): string[] {
  const lines = [path, ...text.split('\n')];
  return lines.flatMap((line, number) =>
    DROPPED_WORDS.filter(
      ({ pattern, except, files }) =>
        pattern.test(line) && except?.test(line) !== true && files?.test(path) !== false,
    ).map(
      ({ pattern, instead }) =>
        `${path}:${number}: ${pattern.exec(line)?.[0] ?? ''} (say: ${instead}) in: ${line.trim().slice(0, 100)}`,
    ),
  );
}
