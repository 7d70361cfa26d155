import { readFileSync } from 'node:fs';

export interface ProcessorTicks {
  readonly stolen: number;
  readonly all: number;
}

/** Place of the stolen ticks among those of a line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
const STOLEN = 7;

/** Ticks of all processors since the machine started, and those that its host gave to others; 0 where nobody tells. */
export function readProcessorTicks(path = '/proc/stat'): ProcessorTicks {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { stolen: 0, all: 0 };
  }
  const ticks = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '')
    .split(' ')
    .map(Number)
    .slice(0, STOLEN + 1);
  return { stolen: ticks[STOLEN] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) };
}

/** The part of the processor time since `before` that the host gave to others, 0 to 1. */
export function stolenSince(before: ProcessorTicks, now = readProcessorTicks()): number {
  const all = now.all - before.all;
  return all > 0 ? (now.stolen - before.stolen) / all : 0;
}
