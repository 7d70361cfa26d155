import type { HouseholdPage } from '../queries/fleets/household-pages.ts';

/**
 * A job with so many households and the days of one resolution takes a thread 0.05 to 0.4 s, for which others wait. One whose households
 * take longer ends before the last of them (src/households/household-sums.ts), and the next page begins with the next one.
 */
export const HOUSEHOLDS_PER_JOB = 250;

/**
 * What was asked of the households of one job, by their versions: it is copied to the thread in one turn of the event loop. One
 * household alone may have more.
 */
export const CHANGES_PER_JOB = 3_000;

/** The first households of a page, as a page with which no other part of it is read. */
export function takeFirst(
  { households, isLast }: Pick<HouseholdPage, 'households' | 'isLast'>,
  count: number,
): Pick<HouseholdPage, 'households' | 'isLast'> {
  return { households: households.slice(0, count), isLast: isLast && count >= households.length };
}

/** The pages of households by index, each as large as one job takes: none holds all of them. */
export async function* listHouseholdPages<Page extends Pick<HouseholdPage, 'households' | 'isLast'>>(
  readPage: (from: number) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let from = 0; ;) {
    const page = await readPage(from);
    const last = page.households.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.isLast) return;
    from = last.household_index + 1;
  }
}
