// Undoes what global-setup.ts did, last first. Jest loads both in one process, but not as one module graph.
type Undo = () => Promise<void>;

const registry = globalThis as typeof globalThis & { partnerTestTeardown?: Undo[] };

export function onTeardown(undo: Undo): void {
  (registry.partnerTestTeardown ??= []).push(undo);
}

export default async function tearDown(): Promise<void> {
  for (const undo of (registry.partnerTestTeardown ?? []).reverse()) await undo();
}
