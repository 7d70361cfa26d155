// Loaded before all else: something that never ends keeps the process.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) setInterval(() => undefined, 1_000);
