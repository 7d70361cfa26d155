import { compareCodes, listCodes } from './compare-codes.ts';
import { compareMessages } from './compare-messages.ts';
import { compareParameters } from './compare-parameters.ts';
import { compareRequestBody } from './compare-bodies.ts';
import { compareResponses } from './compare-responses.ts';
import { SchemaComparer } from './compare-schemas.ts';
import { compareAccess, compareSecuritySchemes } from './compare-security.ts';
import { listOperations, pairUp } from './contract.ts';
import type { Contract, Located, OperationPlace } from './contract.ts';
import { compareOwnServers, compareServers } from './compare-servers.ts';
import { compareDeprecation, isPastSunset } from './deprecation.ts';
import { DOCUMENT, Findings } from './finding.ts';
import type { Finding, Origin } from './finding.ts';
import { markUnmarked } from './since.ts';
import { compareOperationId, compareStability, originOf, reportUnsupported } from './task.ts';
import type { Task } from './task.ts';

/**
 * Compares two bundled documents by what they mean for a client, those that break one first. `today` tells which sunsets are
 * past, and from when a deprecation may count.
 * @throws Error for a document whose references lead nowhere.
 */
export function compareContracts(old: Contract, next: Contract, today: Date): readonly Finding[] {
  const findings = new Findings();
  const schemas = new SchemaComparer(findings);
  const toTask = (origin: Origin): Task => ({ findings, schemas, origin });
  compareServers(old, next, toTask(DOCUMENT));
  compareSecuritySchemes(old, next, toTask(DOCUMENT));
  reportUnsupported(wholeOf(old), wholeOf(next), 'jsonSchemaDialect', toTask(DOCUMENT));
  const byKey = (contract: Contract): ReadonlyMap<string, OperationPlace> =>
    new Map(listOperations(contract).map((operation) => [operation.key, operation]));
  const { kept, removed, added } = pairUp(byKey(old), byKey(next));
  for (const [, operation] of removed) {
    const isBreaking = !isPastSunset(operation, today);
    findings.add(originOf(operation), {
      rule: 'operation',
      isBreaking,
      place: operation.pointer,
      name: operation.title,
      old: operation.title,
      new: undefined,
    });
  }
  for (const [, operation] of added) {
    const { title, pointer } = operation;
    const change = { rule: 'operation', isBreaking: false, place: pointer, name: title } as const;
    findings.add(originOf(operation), { ...change, old: undefined, new: title });
    compareDeprecation(undefined, operation, today, toTask(originOf(operation)));
  }
  const codes = listCodes(listOperations(next));
  for (const [, before, now] of kept) {
    const task = toTask(originOf(before));
    compareOperations(before, now, [old, next], task);
    compareDeprecation(before, now, today, task);
    compareCodes(before, now, codes, task);
  }
  compareMessages(old, next, toTask);
  return markUnmarked(findings.list(), old, next);
}

function wholeOf(contract: Contract): Located {
  return { root: contract, pointer: '', node: contract };
}

function compareOperations(
  old: OperationPlace,
  next: OperationPlace,
  documents: readonly [old: Contract, next: Contract],
  task: Task,
): void {
  compareStability(old, next, task);
  compareOperationId(old, next, task);
  compareParameterNames(old, next, task);
  compareOwnServers(old, next, documents, task);
  compareAccess(old, next, documents, task);
  compareParameters(old, next, task);
  compareRequestBody(old, next, task);
  compareResponses(old, next, task);
  reportUnsupported(old, next, 'callbacks', task);
}

function compareParameterNames(old: OperationPlace, next: OperationPlace, { findings, origin }: Task): void {
  const namesOf = (title: string): string[] => title.match(/\{[^}]*\}/g) ?? [];
  const [oldNames, newNames] = [namesOf(old.title), namesOf(next.title)];
  oldNames.forEach((name, index) => {
    const other = newNames[index];
    if (other === name) return;
    const change = { rule: 'path-parameter-name', isBreaking: true, place: next.pointer, name } as const;
    findings.add(origin, { ...change, old: name, new: other });
  });
}
