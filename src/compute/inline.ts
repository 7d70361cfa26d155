/**
 * Bodies up to this size are parsed and validated on the event loop: 1,400 prices in some 5 ms, which is less than moving
 * them costs a caller who would wait for its turn.
 */
export const INLINE_BODY_BYTES = 65_536;
