import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const THREADS = '/proc/self/task';
/** What Node.js calls the threads of V8 that collect garbage and compile beside all others (prctl(2), PR_SET_NAME). */
const HELPER_NAME = 'V8Worker';
/**
 * On one core the event loop and PostgreSQL, which serve everybody, have three times as much of it (nice(2)). With ten, as the threads that
 * compute, the loop waited for a helper that had not the processor at the end of a collection, and was held for 59 to 79 ms.
 */
const NICE_INCREMENT = 5;
const NICEST = 19;

/**
 * Lets V8's helper threads go behind the event loop where they share a core: one that marks what is in use takes 0.15 s of
 * the processor at a time, during which whatever was asked waited for up to 0.2 s. Does nothing where the system tells no threads.
 */
export function putHelpersBehind(): void {
  try {
    const niceness = Math.min(NICEST, getPriority() + NICE_INCREMENT);
    for (const id of readdirSync(THREADS)) putBehind(id, niceness);
  } catch {
    // Another system than Linux: they go on as they were.
  }
}

function putBehind(id: string, niceness: number): void {
  try {
    const name = readFileSync(`${THREADS}/${id}/comm`, 'utf8').trim();
    if (name === HELPER_NAME) setPriority(Number(id), niceness);
  } catch {
    // It has ended meanwhile, or the system lets no thread step back.
  }
}
