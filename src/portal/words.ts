/** A code of the API as people read it: `heat_pump` is a heat pump. */
export const toWords = (code: string): string => code.replaceAll('_', ' ');

/** What a topic says beside that it is about devices. */
export const toShortTopic = (topic: string): string => topic.replace(/^device\./, '');

/** Sentences one behind the other, without those that are empty. */
export const joinSentences = (...sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== '').join(' ');
