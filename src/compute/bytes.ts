/**
 * The memory of the byte arrays and number arrays among the properties of an object, and of those in lists of them; shared memory need
 * not move.
 */
export function listTransferable(value: object): ArrayBuffer[] {
  return listViews(value).flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []));
}

/** The byte arrays and number arrays among the properties of an object, and those in lists of them. */
export function listViews(value: object): readonly ArrayBufferView[] {
  return Object.values(value).flatMap((part: unknown) => {
    const parts: readonly unknown[] = Array.isArray(part) ? part : [part];
    return parts.every((one) => ArrayBuffer.isView(one)) ? parts : [];
  });
}
