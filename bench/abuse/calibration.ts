/** A fixed piece of work: how fast the machine is now. Milliseconds. */
export function calibrate(): number {
  const start = performance.now();
  let value = 1;
  for (let i = 0; i < 200_000_000; i++) value = (Math.imul(value, 1_103_515_245) + 12_345) & 0x7fffffff;
  if (value < 0) throw new Error('The loop has to be computed.');
  return performance.now() - start;
}
