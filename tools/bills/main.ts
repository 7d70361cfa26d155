/** Measures, by hand, the bills of many steered heat pumps: `node tools/bills/main.ts 200` takes 200 in each of five countries. */
import { measureMarkets, savingOf } from '../validate/steered-heat.ts';

const pumps = Number(process.argv[2] ?? 20);
for (const isConstant of [false, true]) {
  for (const [market, years] of measureMarkets(pumps, isConstant)) {
    const dearer = years.filter(({ unsteered, atSameComfort }) => atSameComfort > unsteered).length;
    const dearerBill = years.filter(({ unsteered, steered }) => steered > unsteered).length;
    const warmer = years.map((year) => year.warmer);
    const row = {
      days: isConstant ? 'one price' : 'year',
      market,
      pumps: years.length,
      dearer,
      dearerBill,
      savingPercent: savingOf(years, 'steered').toFixed(2),
      atSameComfortPercent: savingOf(years, 'atSameComfort').toFixed(2),
      warmerK: (warmer.reduce((a, b) => a + b, 0) / years.length).toFixed(3),
      coldestK: Math.min(...warmer).toFixed(3),
      outside: years.reduce((sum, { outside }) => sum + outside, 0),
    };
    process.stdout.write(`${JSON.stringify(row)}\n`);
  }
}
