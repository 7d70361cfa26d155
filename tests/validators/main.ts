// `make validators`: the tests whose client calls operations are run, and every exchange of theirs passes through Prism and
// express-openapi-validator; then answers and requests are made wrong. Exits 1 where a validator complains, or misses what was made wrong.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAnswers } from '../support/operation-coverage.ts';
import { readExchanges, recordExchanges } from './exchanges.ts';
import { startPrism } from './prism.ts';
import { CanaryChoice, Tally } from './tally.ts';
import { expressOpenapiValidator } from './validator.ts';

async function holdAgainstDocument(folder: string): Promise<boolean> {
  const prism = await startPrism();
  const tallies = [prism, expressOpenapiValidator].map((validator) => new Tally(validator));
  const choice = new CanaryChoice();
  try {
    for await (const exchange of readExchanges(folder)) {
      const canaries = choice.take(exchange);
      for (const tally of tallies) {
        await tally.add(exchange);
        for (const canary of canaries) await tally.addCanary(canary);
      }
    }
  } finally {
    await prism.close();
  }
  const documented = listAnswers();
  const seen = documented.filter((each) => choice.pairs.has(each));
  console.log(`\n${seen.length} of the document's ${documented.length} pairs of an operation and a status.`);
  for (const tally of tallies) print(tally);
  return tallies.every(({ complaints, missed }) => complaints.size === 0 && missed.length === 0);
}

function print({ validator, exchanges, answers, overlooked, complaints, canaries, missed }: Tally): void {
  console.log(`\n${validator.name}: ${exchanges} exchanges, ${answers} answers validated`);
  console.log(`  ${complaints.size} kinds of violations`);
  for (const [what, count] of complaints) console.log(`    ${count} of ${what}`);
  console.log(`  ${overlooked} requests that the service finds to break the document, and the validator not`);
  for (const [kind, { made, caught }] of canaries) console.log(`  ${kind}: ${caught} of ${made} caught`);
  for (const kind of validator.overlooks) console.log(`  ${kind}: not looked at`);
  for (const what of missed) console.log(`    MISSED ${what}`);
}

const folder = mkdtempSync(join(tmpdir(), 'partner-exchanges-'));
try {
  await recordExchanges(folder, process.argv.slice(2));
  if (!(await holdAgainstDocument(folder))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
