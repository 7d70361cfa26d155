// Tells how much memory a thread has taken for its young objects, as JSON, once it has made many.
import { fileURLToPath } from 'node:url';
import { ComputePool } from '../../src/compute/pool.ts';

const pool = new ComputePool({
  threads: 2,
  workerFile: fileURLToPath(new URL('faulty-worker.ts', import.meta.url)),
});
const output: unknown = await pool.run('a', 'makeYoung' as 'sumHouseholds', {} as never);
process.stdout.write(JSON.stringify(output));
await pool.stop();
