import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { allocateFloat64Array, allocateUint8Array } from '../kernel/typed-arrays.ts';
import type { RoomShare } from './performance.ts';
import { createDayCourse, createDayForcing } from './thermal-day.ts';

/** Memory in which one day after the other is computed, of any house. */
export const workspace = createWorkspace();

function createWorkspace() {
  const forcing = createDayForcing();
  const course = createDayCourse();
  const roomShare: RoomShare = {
    outdoorC: forcing.outdoorC,
    mostHeat: forcing.mostHeat,
    roomHeat: course.roomHeat,
    tankHeat: course.tankHeat,
    electric: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    least: allocateFloat64Array(QUARTER_HOURS_PER_DAY),
    cycles: allocateUint8Array(QUARTER_HOURS_PER_DAY),
  };
  return { forcing, course, roomShare, asked: allocateUint8Array(QUARTER_HOURS_PER_DAY) };
}
