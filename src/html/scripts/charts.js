// Draws the pictures of a day with uPlot, one below the other on one axis of time, with one crosshair. What it draws stands in
// the page as JSON; the table below tells the same where no script runs.
/* global uPlot */

const SYNC_KEY = 'day';
const AXIS_WIDTH = 56;
/** So far apart that labels do not touch, on a phone too. */
const hoursBetweenLabels = (width) => (width < 480 ? 6 : 4);

const styles = getComputedStyle(document.documentElement);
const colour = (token) => styles.getPropertyValue(`--${token}`).trim();

/** How to remove the pictures of each figure. */
const drawn = new Map();
drawAll();
document.addEventListener('parts-replaced', drawAll);

/** Draws what is new in the page, and lets go of what has left it. */
function drawAll() {
  for (const [figure, remove] of drawn) {
    if (figure.isConnected) continue;
    remove();
    drawn.delete(figure);
  }
  for (const figure of document.querySelectorAll('.chart')) {
    const source = figure.querySelector('script[type="application/json"]');
    if (source !== null && !drawn.has(figure))
      drawn.set(
        figure,
        draw(figure, () => JSON.parse(source.textContent)),
      );
  }
}

/**
 * Draws what the page says, and again when it says something else (`fresh`) or the colours have changed; returns how to remove
 * it.
 */
function draw(figure, readDay) {
  const places = [...figure.querySelectorAll('.plot')];
  let day = readDay();
  let plots = [];
  const readout = createReadout(figure, () => day);
  readout.move = (index) => {
    for (const plot of plots) plot.setCursor({ left: plot.valToPos(day.times[index], 'x'), top: -10 });
  };
  const redraw = () => {
    for (const plot of plots) plot.destroy();
    plots = day.panels.map((panel, index) => createPlot(places[index], panel, day, readout.show));
  };
  redraw();
  figure.addEventListener('fresh', () => {
    const before = day;
    const fresh = readDay();
    // Pictures that come or go would move the page.
    if (fresh.panels.length !== before.panels.length) return;
    day = fresh;
    redraw();
    readout.refresh(before.known);
  });
  const theme = matchMedia('(prefers-color-scheme: dark)');
  theme.addEventListener('change', redraw);
  const sizes = new ResizeObserver(() => {
    for (const [index, plot] of plots.entries())
      plot.setSize({ width: places[index].clientWidth, height: places[index].clientHeight });
  });
  sizes.observe(places[0]);
  return () => {
    theme.removeEventListener('change', redraw);
    sizes.disconnect();
    for (const plot of plots) plot.destroy();
  };
}

/** The time under the crosshair and the values there; a slider moves it by keyboard. */
function createReadout(figure, getDay) {
  const slider = figure.querySelector('input[type="range"]');
  const output = figure.querySelector('output');
  const values = [...figure.querySelectorAll('.legend b')];
  let shown = getDay().known - 1;
  const write = () => {
    const { panels, clocks } = getDay();
    const lines = panels.flatMap(({ lines, above, below }) => [...lines, ...above, ...below]);
    output.value = clocks[shown];
    slider.value = String(shown);
    slider.setAttribute('aria-valuetext', `${clocks[shown]}, ${lines[0].label} ${lines[0].texts[shown]}`);
    for (const [each, line] of lines.entries()) values[each].textContent = line.texts[shown];
    // What else shows this instant follows.
    const detail = { quarter: shown, clock: clocks[shown] };
    figure.dispatchEvent(new CustomEvent('instant', { bubbles: true, detail }));
  };
  const readout = {
    move: () => {},
    show: (index) => {
      if (index === shown) return;
      shown = index;
      write();
    },
    /** Goes on with the last value where it stood at the last one before. */
    refresh: (known) => {
      if (shown === known - 1) shown = getDay().known - 1;
      write();
    },
  };
  slider.addEventListener('input', () => {
    readout.show(Number(slider.value));
    readout.move(Number(slider.value));
  });
  slider.addEventListener('keydown', (event) => {
    const steps = { PageUp: -4, PageDown: 4, ArrowLeft: -4, ArrowRight: 4 };
    if (!(event.key in steps) || (event.key.startsWith('Arrow') && !event.shiftKey)) return;
    event.preventDefault();
    slider.value = String(Number(slider.value) + steps[event.key]);
    slider.dispatchEvent(new Event('input'));
  });
  return readout;
}

/** Areas stand on each other: the outermost is drawn first, and each inner one covers it from the axis on. */
function createPlot(place, { unit, height, above, below, lines }, { times, clocks }, onMove) {
  const isStrip = height === 'strip';
  const scale = unit === 'kW' ? 1 / 1_000 : 1;
  const areas = [...stack(above, scale), ...stack(below, -scale)];
  const curves = lines.map((line) => ({ ...line, sums: multiply(line.values, scale) }));
  // A gap begins where the step before it ends.
  const paths = uPlot.paths.stepped({ align: 1, alignGaps: 1 });
  const series = [
    {},
    ...areas.map(({ token }) => ({
      fill: colour(token),
      stroke: colour(isStrip ? 'control' : 'surface'),
      width: 1,
      fillTo: 0,
      paths,
      points: { show: false },
    })),
    ...curves.map(({ token }) => ({ stroke: colour(token), width: 2, paths, points: { show: false } })),
  ];
  const axis = {
    stroke: colour('text-3'),
    font: `12px ${styles.getPropertyValue('--sans')}`,
    grid: { stroke: colour('border'), width: 1 },
    ticks: { show: false },
  };
  const hours = hoursBetweenLabels(place.clientWidth);
  const labelled = times.filter(
    (_, index) => /^\d\d:00a?$/.test(clocks[index]) && Number(clocks[index].slice(0, 2)) % hours === 0,
  );
  const texts = new Map(times.map((time, index) => [time, clocks[index]]));
  return new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      // The same at the sides, so that an instant stands at one place in all pictures.
      padding: isStrip ? [0, 24, 0, 0] : [8, 24, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false },
        points: { show: false },
        sync: { key: SYNC_KEY, scales: ['x', null] },
      },
      scales: {
        x: { time: false, range: [times[0], times.at(-1)] },
        y: { range: isStrip ? [0, 1] : (_plot, low, high) => toRange(low, high, unit !== '°C') },
      },
      axes: [
        {
          ...axis,
          splits: () => labelled,
          values: (_plot, splits) => splits.map((time) => texts.get(time)),
          size: 24,
          show: !isStrip,
        },
        { ...axis, size: AXIS_WIDTH, space: 32, ...(isStrip ? { splits: () => [] } : {}) },
      ],
      series,
      hooks: {
        setCursor: [
          ({ cursor: { idx } }) => {
            if (idx !== null && idx !== undefined) onMove(Math.min(idx, times.length - 2));
          },
        ],
      },
    },
    [times, ...[...areas, ...curves].map(({ sums }) => endStep(sums))],
    place,
  );
}

/** A step goes on to the end of its period, the last one that is known too. */
function endStep(sums) {
  const ends = [...sums, null];
  const last = sums.findLastIndex((value) => value !== null);
  ends[last + 1] = ends[last] ?? null;
  return ends;
}

function stack(lines, scale) {
  let below = [];
  const stacked = lines.map((line) => {
    below = multiply(line.values, scale).map((value, index) =>
      value === null ? null : value + (below[index] ?? 0),
    );
    return { ...line, sums: below };
  });
  return stacked.reverse();
}

function multiply(values, factor) {
  return values.map((value) => (value === null ? null : value * factor));
}

/** With 0 in it where areas stand on 0 or a sign counts; a range of one value is widened. */
function toRange(low, high, hasZero) {
  const [from, to] = [
    Math.min(low ?? 0, hasZero ? 0 : (low ?? 0)),
    Math.max(high ?? 1, hasZero ? 0 : (high ?? 1)),
  ];
  const margin = (to - from || 1) * 0.05;
  return [hasZero && from === 0 ? 0 : from - margin, hasZero && to === 0 ? 0 : to + margin];
}
