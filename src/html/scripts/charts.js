// Draws the pictures of a day with uPlot, one below the other on one axis of time, with one crosshair. What it draws stands in
// the page as JSON; the table below tells the same where no script runs.
/* global uPlot */

const SYNC_KEY = 'day';
const AXIS_WIDTH = 56;
const HOUR_S = 3_600;
const DAY_HOURS = 24;
/** So far apart that labels do not touch, on a phone too. */
const hoursBetweenLabels = (width, days) => (width < 480 ? 6 : 4) * days;

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
    if (countLines(fresh) !== countLines(before) || fresh.panels.length !== before.panels.length) return;
    day = fresh;
    redraw();
    readout.refresh(startOf(before));
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

/** Where the readout stands until it is moved: where the page says, otherwise at the last value. */
function startOf({ at, known }) {
  return at ?? known - 1;
}

function countLines(day) {
  return linesOf(day).length;
}

/** What the legend lists, in its order. */
function linesOf({ panels, notes = [] }) {
  return [...panels.flatMap(({ lines, above, below }) => [...lines, ...above, ...below]), ...notes];
}

/** The time under the crosshair and the values there; a slider moves it by keyboard. */
function createReadout(figure, getDay) {
  const slider = figure.querySelector('input[type="range"]');
  const output = figure.querySelector('output');
  const values = [...figure.querySelectorAll('.legend b')];
  let shown = startOf(getDay());
  const write = () => {
    const { clocks } = getDay();
    const lines = linesOf(getDay());
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
    /** Goes on from where it starts now, where it stood at the start before. */
    refresh: (start) => {
      if (shown === start) shown = startOf(getDay());
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
function createPlot(place, { unit, height, above, below, lines, hasFrames }, { times, clocks, now }, onMove) {
  const isStrip = height === 'strip';
  const scale = unit === 'kW' ? 1 / 1_000 : 1;
  const areas = [...stack(above, scale), ...stack(below, -scale)];
  // The first line is drawn above the others.
  const curves = lines.map((line) => ({ ...line, sums: multiply(line.values, scale) })).reverse();
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
  const texts = labelAxis(times, clocks, place.clientWidth);
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
          splits: () => [...texts.keys()],
          values: (_plot, splits) => splits.map((time) => texts.get(time)),
          size: 24,
          show: !isStrip,
        },
        { ...axis, size: AXIS_WIDTH, space: 32, ...(isStrip ? { splits: () => [] } : {}) },
      ],
      series,
      hooks: {
        drawClear: hasFrames ? [(plot) => drawFrames(plot, times, lines[0].values)] : [],
        draw: now === undefined ? [] : [(plot) => drawNow(plot, now)],
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

/** The labels of an axis by their times: hours, and where there are several days the date in place of midnight. */
function labelAxis(times, clocks, width) {
  const days = Math.max(1, Math.round((times.at(-1) - times[0]) / HOUR_S / DAY_HOURS));
  const hours = hoursBetweenLabels(width, days);
  const texts = new Map();
  let midnights = 0;
  for (const [index, time] of times.slice(0, days === 1 ? times.length : -1).entries()) {
    const [, date, hour] = /^(?:(.+) )?(\d\d):00a?$/.exec(clocks[index]) ?? [];
    if (hour === undefined) continue;
    if (hours < DAY_HOURS && Number(hour) % hours !== 0) continue;
    if (hours >= DAY_HOURS && (hour !== '00' || midnights++ % Math.round(hours / DAY_HOURS) !== 0)) continue;
    texts.set(time, hour === '00' && date !== undefined ? date : clocks[index].split(' ').at(-1));
  }
  return texts;
}

/** Dotted frames around times of which no value is known. */
function drawFrames({ ctx, bbox, valToPos }, times, values) {
  ctx.save();
  ctx.strokeStyle = colour('control');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (let from = 0; from < values.length; from += 1) {
    if (values[from] !== null) continue;
    let to = from;
    while (to < values.length && values[to] === null) to += 1;
    const [left, right] = [from, to].map((index) => valToPos(times[index], 'x', true));
    ctx.strokeRect(left, bbox.top, right - left, bbox.height);
    from = to;
  }
  ctx.restore();
}

/** A line where it is now. */
function drawNow({ ctx, bbox, valToPos }, now) {
  const left = valToPos(now, 'x', true);
  ctx.save();
  ctx.strokeStyle = colour('text-3');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
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
