const [WIDTH, HEIGHT] = [96, 24];

/** A small line of a day, drawn in units of 96 by 24; `zero` is where it changes its sign. */
export interface Sparkline {
  readonly path: string;
  readonly zero: number;
  /** What it shows, for who cannot see it. */
  readonly label: string;
}

/** Draws values that begin one after the other; what is not known is a gap. */
export function drawSparkline(values: readonly (number | null)[], periods: number, label: string): Sparkline {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const y = (value: number): string =>
    (high === low ? HEIGHT / 2 : (HEIGHT * (high - value)) / (high - low)).toFixed(1);
  let isDrawing = false;
  const steps = values.map((value, index) => {
    if (value === null) {
      isDrawing = false;
      return '';
    }
    const [from, to] = [index, index + 1].map((each) => ((WIDTH * each) / periods).toFixed(1));
    const step = `${isDrawing ? `V${y(value)}` : `M${from} ${y(value)}`}H${to}`;
    isDrawing = true;
    return step;
  });
  return { path: steps.join(''), zero: Number(y(0)), label };
}
