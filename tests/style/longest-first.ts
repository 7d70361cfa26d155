import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files and folders that take ten seconds and more, mostly waiting for processes: tests/README.md has the figures. */
const LONGEST = [
  'tests/browser/portal.test',
  'tests/faults/',
  'tests/fleets/kill',
  'tests/compute/loop-holds',
  'tests/abuse/',
  'tests/process/hostile-definitions',
  'tests/style/',
  'tests/process/',
  'tests/postgres/',
  'tests/interoperability/',
  'tests/validators/',
  'tests/contract/matrix',
  'tests/fleets/',
];

/** Starts the longest files first, so that no worker is left with one at the end while the others have nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((path) => moduleId.includes(path));
      return index === -1 ? LONGEST.length : index;
    };
    return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}
