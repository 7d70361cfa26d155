/** A string of which some values are known, and others may come. */
interface OpenVocabulary {
  readonly anyOf: readonly Readonly<Record<string, unknown>>[];
}

/** As editors complete it and generated clients take it: one of the values, or any other string. */
export function toOpenVocabulary(values: readonly string[], isNullable = false): OpenVocabulary {
  const others = [{ type: 'string' }, ...(isNullable ? [{ type: 'null' }] : [])];
  return { anyOf: [{ type: 'string', enum: values }, ...others] };
}
