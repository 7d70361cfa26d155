// What planning a household may take.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const WALK = 'src/simulation/house/window-walk.ts';
const SETTLED = 'src/simulation/house/settled-windows.ts';
const RESTS = 'src/simulation/house/rests.ts';
const MEMORY = 'src/simulation/house/plan-memory.ts';
const UNSTEERED = 'src/simulation/devices/unsteered-battery.ts';
const CAR = 'src/simulation/cars/vehicle-run.ts';
const COUNTERS = 'src/simulation/model/counter-accumulator.ts';
const STAYS = 'src/simulation/cars/stays.ts';
const SUMS = 'src/households/household-sums.ts';

const pieces = testsOf('tests/simulation/house/restless-house.test.ts');
const unsteered = testsOf('tests/simulation/devices/unsteered-battery.test.ts');
const slow = testsOf('tests/simulation/model/slow-battery.test.ts');
const householdTurns = testsOf('tests/households/household-turns.test.ts');
const slowCar = testsOf('tests/simulation/cars/slow-car.test.ts');
const sums = testsOf('tests/households/household-sums.test.ts');
const summedPieces = testsOf('tests/operations/summed-pieces.test.ts');
const stays = testsOf('tests/simulation/cars/stays.test.ts');

const settledWindows = testsOf('tests/simulation/house/settled-windows.test.ts');

export const boundsOfPlans: readonly Bound[] = [
  bound(
    'plans anew of a window',
    [replace(WALK, 'if (at - since < RUN_QUARTERS || ', 'if (')],
    testsOf('tests/simulation/house/steered-house.test.ts')('change a plan every two hours at most'),
  ),
  bound(
    'windows whose plans are remembered',
    [replace(MEMORY, 'const WINDOWS = 512;', 'const WINDOWS = 65_536;')],
    testsOf('tests/simulation/house/plan-memory.test.ts')('keeps the codes of the last 512 windows'),
  ),
  bound(
    'what a look for the return of a house computes at once',
    [
      replace(
        SETTLED,
        'found.goOn();\n      return false;',
        'this.isSettled(window - back);\n      return false;',
      ),
    ],
    pieces('walks or follows a day or a window at most in a piece', 'asked once'),
  ),
  bound(
    'what a look for the end of a rest computes at once',
    [
      replace(
        RESTS,
        'return this.#find(window) !== undefined;',
        'return this.endAround(window) !== undefined;',
      ),
    ],
    pieces('walks or follows a day or a window at most in a piece', 'something else in each quarter hour'),
  ),
  bound(
    'what a look for the charge with which the plan of a battery ends computes at once',
    [
      replace(
        UNSTEERED,
        'return this.#find(day) !== undefined;',
        'return Number.isFinite(this.energyAt(day * QUARTER_HOURS_PER_DAY));',
      ),
    ],
    unsteered('follows a day in a piece, two in the last'),
    slow('a day of a slow battery is approached by a household-day in a piece'),
  ),
  bound(
    'what such a look computes at once of the heat pump beside the battery',
    [
      replace(
        UNSTEERED,
        'if (!isKept && !this.#source.approach(search.at)) return;',
        'while (!isKept && !this.#source.approach(search.at));',
      ),
    ],
    slow('the heat pump beside it is approached as well on each of the days'),
  ),
  bound(
    'days on which a battery keeps all that such a look passes at once',
    [replace(UNSTEERED, 'const KEEPING_DAYS_PER_PIECE = 256;', 'const KEEPING_DAYS_PER_PIECE = 1_000_000;')],
    unsteered('of days on which a battery without panels keeps all for certain 256 are a piece'),
  ),
  bound(
    'what a day of a series computes at once',
    [
      replace(
        'src/households/device-data.ts',
        'await slicer.onDay(modelled.model, day, start, () => series.next())',
        'series.next()',
      ),
    ],
    testsOf('tests/households/device-data.test.ts')('no slice of a series of two days computes more'),
  ),
  bound(
    'days of a car that nobody drives that are looked at for its charge',
    [
      replace(
        'src/simulation/cars/vehicle-run.ts',
        'if (annualKwh > 0) return run;',
        'if (annualKwh >= 0) return run;',
      ),
    ],
    testsOf('tests/simulation/cars/idle-car.test.ts')(
      'has what it had at first, and no day before is looked at',
    ),
  ),
  bound(
    'days of a car that hardly drives that a look at its charge computes at once',
    [replace(CAR, 'if (search.energy === undefined) search.goOn();', 'search.finish();')],
    slowCar('its charge is approached by a day in a piece'),
  ),
  bound(
    'days that sums of one household by turns look back for what they knew',
    [replace(COUNTERS, '    if (this.#used.day === day) return this.#used;\n', '')],
    testsOf('tests/simulation/model/sums-by-turns.test.ts')('none looks back for what it knew'),
    testsOf('tests/households/device-data.test.ts')('nor where series of other days'),
  ),
  bound(
    'days that are looked through for a stay',
    [replace(STAYS, 'const LOOKED_THROUGH_DAYS = 8;', 'const LOOKED_THROUGH_DAYS = 80;')],
    stays('a car that never leaves is looked after for eight days to either side'),
    stays('a car that never comes is looked for during eight days'),
  ),
  bound(
    'pause between two slices of what the event loop computes',
    [replace('src/households/time-slicer.ts', 'const PAUSE_PER_SLICE = 8;', 'const PAUSE_PER_SLICE = 0;')],
    testsOf('tests/households/time-slicer.test.ts')('ms counts as', 'a slice of 10 ms counts as 10 ms'),
  ),
  bound(
    'what counts as the time of a slice',
    [
      replace(
        'src/households/time-slicer.ts',
        'queueMicrotask(() => process.nextTick(measureSlice));',
        'setImmediate(measureSlice);',
      ),
    ],
    testsOf('tests/households/time-slicer.test.ts')('what is served behind a slice'),
  ),
  bound(
    'pause behind a long slice',
    [
      replace(
        'src/households/time-slicer.ts',
        'const LONGEST_SLICE_MS = 16;',
        'const LONGEST_SLICE_MS = 1600;',
      ),
    ],
    testsOf('tests/households/time-slicer.test.ts')('ms counts as', 'a slice of 100 ms counts as 16 ms'),
  ),
  bound(
    'searches in pieces that are remembered',
    [replace('src/simulation/kernel/open-searches.ts', 'MOST_SEARCHES = 256', 'MOST_SEARCHES = Infinity')],
    unsteered('forgets searches that nobody goes on with'),
    settledWindows('searches that nobody goes on with are forgotten'),
  ),
  bound(
    'who works on what a household remembers at once',
    [replace('src/households/time-slicer.ts', '    turns.set(household, turn.promise);\n', '')],
    householdTurns('are answered one after the other'),
  ),
  bound(
    'how long a sum keeps a household from others',
    [
      replace(
        'src/households/time-slicer.ts',
        'this.#monotonicMs() >= turnEndsMs && counters.usedDay > first',
        'turnEndsMs === 0',
      ),
    ],
    householdTurns('a long sum leaves the household to who else asks'),
  ),
  bound(
    'returns of a house that are remembered',
    [replace('src/simulation/house/settled-windows.ts', 'KNOWN_RETURNS = 256', 'KNOWN_RETURNS = Infinity')],
    settledWindows('of the returns that were found the last 256 are remembered'),
  ),
  bound(
    'time after which a job of sums begins no other household',
    [
      replace(
        SUMS,
        'if (elapsedMs() >= endMs) return at + 1;',
        'if (elapsedMs() >= Infinity) return at + endMs;',
      ),
    ],
    sums('a job does', '250 ms'),
    sums('a job does', '40000 ms'),
    summedPieces('is the same to the byte where each household is a job'),
    summedPieces('the powers of households are the same'),
  ),
  bound(
    'days that sums look back for the charge of a battery',
    [
      replace(
        SUMS,
        'restore(fromCheckpointRow(checkpoint))',
        'findCheckpoint(fromCheckpointRow(checkpoint).day)',
      ),
    ],
    sums('look back to the checkpoint that is stored of a household'),
  ),
  bound(
    'checkpoints that are read with a page of households',
    [
      replace(
        'src/queries/fleets/household-pages.ts',
        "coalesce(${checkpointText(filter.orgId)}, 'null')",
        "coalesce(case when false then ${checkpointText(filter.orgId)} end, 'null')",
      ),
    ],
    summedPieces('jobs get the checkpoints that are stored', 'each its own'),
  ),
  bound(
    'checkpoint that is read with the household of a user',
    [replace('src/operations/household-data.ts', 'JSON.stringify([row.checkpoint])', "'[null]'")],
    summedPieces('jobs get the checkpoints that are stored', 'each its own'),
  ),
];
