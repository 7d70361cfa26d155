// A run that is closed in any case, also when it is interrupted or takes too long.

/** Then the process ends with 1. */
export async function runInTime(
  run: () => Promise<boolean>,
  close: () => Promise<void>,
  deadlineMs: number,
): Promise<boolean> {
  const giveUp = (reason: string): void => {
    console.error(reason);
    void close().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => giveUp(`Ended by ${signal}; everything is stopped.`));
  const deadline = setTimeout(() => giveUp(`Not done after ${deadlineMs / 60_000} minutes.`), deadlineMs);
  try {
    return await run();
  } finally {
    clearTimeout(deadline);
    await close();
  }
}
