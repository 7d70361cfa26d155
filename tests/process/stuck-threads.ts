// Loaded before all else: every thread but the first comes to nothing.
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
