/** Systems of linear equations. */

/**
 * Solves a symmetric positive definite system by elimination, for several right sides: they follow the system's own numbers
 * in each of its rows, which are written over. One solution for each right side.
 */
export function solve(rows: readonly Float64Array[]): Float64Array[] {
  const size = rows.length;
  const width = rows[0]?.length ?? 0;
  for (const [pivot, pivotRow] of rows.entries()) {
    for (let below = pivot + 1; below < size; below++) {
      const row = rows[below] ?? pivotRow;
      const factor = (row[pivot] ?? 0) / (pivotRow[pivot] ?? 1);
      for (let i = pivot; i < width; i++) row[i] = (row[i] ?? 0) - factor * (pivotRow[i] ?? 0);
    }
  }
  return Array.from({ length: width - size }, (_, right) => {
    const solution = new Float64Array(size);
    for (let i = size - 1; i >= 0; i--) {
      const row = rows[i] ?? solution;
      let known = 0;
      for (let j = i + 1; j < size; j++) known += (solution[j] ?? 0) * (row[j] ?? 0);
      solution[i] = ((row[size + right] ?? 0) - known) / (row[i] ?? 1);
    }
    return solution;
  });
}
