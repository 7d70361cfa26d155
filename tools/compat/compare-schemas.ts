import { compareAnnotations } from './annotations.ts';
import type { QuietPairs } from './annotations.ts';
import type { Findings, Origin } from './finding.ts';
import { toRuleId } from './rules.ts';
import type { Direction } from './rules.ts';
import type { Gap } from './schemas/gap.ts';
import { Prover } from './schemas/prover.ts';
import { findNode, toSegment } from './schemas/place.ts';
import type { Place } from './schemas/place.ts';

interface GapOfChange extends Gap {
  readonly isBreaking: boolean;
  readonly place: string;
}

/** Compares schemas of two documents and remembers what it has proved of those that many operations share. */
export class SchemaComparer {
  readonly #narrowing = new Prover();
  readonly #widening = new Prover();
  readonly #findings: Findings;
  readonly #quiet: QuietPairs = new Set();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /**
   * A request must be valid for the new schema when it was for the old one, an answer the other way round. What is only
   * said beside that, such as defaults, is compared schema by schema.
   */
  compare(origin: Origin, direction: Direction, old: Place, next: Place): void {
    const isRequest = direction === 'request';
    const narrowing = this.#narrowing.prove([old], next).map((gap) => toChange(gap, isRequest, true, next));
    const widening = this.#widening.prove([next], old).map((gap) => toChange(gap, !isRequest, false, next));
    const gaps = withoutSideEffects([...narrowing, ...widening]);
    for (const gap of gaps) {
      const isNarrowing = narrowing.includes(gap);
      this.#findings.add(origin, {
        rule: toRuleId(direction, gap.subject),
        isBreaking: gap.isBreaking,
        place: gap.place,
        name: gap.name,
        old: isNarrowing ? gap.innerValue : gap.outerValue,
        new: isNarrowing ? gap.outerValue : gap.innerValue,
      });
    }
    compareAnnotations(this.#findings, origin, direction, old, next, this.#quiet);
  }
}

/** With the pointer into the new document, or into the old one where the property is gone. */
function toChange(gap: Gap, isBreaking: boolean, isOuterNew: boolean, next: Place): GapOfChange {
  const [inNew, inOld] = isOuterNew
    ? [gap.outerPointer, gap.innerPointer]
    : [gap.innerPointer, gap.outerPointer];
  const base = inNew ?? inOld ?? next.pointer;
  if (gap.subject !== 'property' || gap.name === undefined) return { ...gap, isBreaking, place: base };
  const below = `/properties/${toSegment(gap.name)}`;
  const isInNew = inNew !== undefined && findNode(next.root, inNew + below) !== undefined;
  return { ...gap, isBreaking, place: (isInNew ? inNew : (inOld ?? base)) + below };
}

/**
 * Of a property that comes or goes, that it is required now or was is no change of its own, unless that is what breaks; of a
 * change that is neither narrower nor wider, such as that of a pattern, only what breaks is told.
 */
function withoutSideEffects(gaps: readonly GapOfChange[]): readonly GapOfChange[] {
  return gaps.filter((gap) => {
    if (gap.isBreaking && gap.subject !== 'required') return true;
    const others = gaps.filter((other) => other !== gap);
    if (gap.subject === 'required') {
      const same = others.filter((other) => other.subject === 'property' && isOfProperty(other, gap));
      if (same.some((other) => other.isBreaking || !gap.isBreaking)) return false;
    }
    if (gap.isBreaking) return true;
    return !others.some((other) => other.isBreaking && isSamePlace(other, gap));
  });
}

function isSamePlace(a: GapOfChange, b: GapOfChange): boolean {
  return a.subject === b.subject && a.place === b.place && a.name === b.name;
}

function isOfProperty(property: GapOfChange, required: GapOfChange): boolean {
  const pointers = (gap: GapOfChange): string => [gap.innerPointer, gap.outerPointer].toSorted().join(' ');
  return property.name === required.name && pointers(property) === pointers(required);
}
