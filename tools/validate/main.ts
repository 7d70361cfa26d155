// Measures the simulator against what was measured in the world, and prints every figure; exits 1 when one is missed.
import { measure as measureHouse } from './house.ts';

const rows = await measureHouse();
for (const { id, figure, measured, accept, verdict } of rows)
  console.log(`${id.padEnd(5)} ${figure.padEnd(62)} ${measured.padStart(8)}  ${accept.padEnd(14)} ${verdict}`);
if (rows.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
