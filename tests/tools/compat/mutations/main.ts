// `make compat-mutations`: changes the document at random until 500 changes (ARGS: another number) are proven to break by an
// instance, and asks a second opinion of the fixtures. Exits 1 when `make compat` misses one of these changes or the second opinion
// differs in another rule than it is known to.
import { askSecondOpinion } from './second-opinion.ts';
import { tryChanges } from './trials.ts';
import type { Trial } from './trials.ts';

const wanted = Number(process.argv[2] ?? 500);
const first = Number(process.argv[3] ?? 1);
const trials: Trial[] = [];

function* seeds(): Generator<number> {
  for (let seed = first; trials.filter(({ isProven }) => isProven).length < wanted; seed += 1) yield seed;
}

for (const trial of tryChanges(seeds())) {
  trials.push(trial);
  if (trial.isProven && !trial.isFound) console.log(`MISSED (seed ${trial.seed}): ${trial.change}`);
  if (!trial.isProven && trial.isFound)
    console.log(`not proven (seed ${trial.seed}): ${trial.change}: ${trial.rules.join(', ')}`);
}

const count = (test: (trial: Trial) => boolean): number => trials.filter(test).length;
const missed = count(({ isProven, isFound }) => isProven && !isFound);
console.log(
  `${trials.length} changes, ${count(({ isProven }) => isProven)} proven to break, ${missed} of them missed.`,
);
console.log(
  `${count(({ isProven, isFound }) => !isProven && isFound)} called breaking without a proof, of which ${count(
    ({ isProven, isProvenHarmless, isFound }) => !isProven && isProvenHarmless && isFound,
  )} are proven to change something the other way; ${count(({ isProven, isFound }) => !isProven && !isFound)} neither.`,
);
const { agreed, asked, surprises } = askSecondOpinion();
console.log(`api-smart-diff sees ${agreed} of ${asked} fixtures alike.`);
for (const surprise of surprises) console.log(surprise);
if (missed > 0 || surprises.length > 0) process.exitCode = 1;
