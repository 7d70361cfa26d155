import type { Context } from './context.ts';

/**
 * Throws 404 when an object that the path names is not there (or not the caller's to see). Asked only when query or
 * body are faulty, because then the operation itself, which would find out, does not run.
 */
export async function locate(context: Context, path: Readonly<Record<string, unknown>>): Promise<void> {}
