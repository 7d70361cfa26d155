type Release = () => void;

/** A unit that is waited for while a place in its line is held; what is returned gives both back. Throws what either wait throws. */
export async function acquireInLine(
  acquirePlace: () => Promise<Release>,
  acquireUnit: () => Promise<Release>,
): Promise<Release> {
  const leaveLine = await acquirePlace();
  try {
    const release = await acquireUnit();
    return () => {
      release();
      leaveLine();
    };
  } catch (error) {
    leaveLine();
    throw error;
  }
}

/** Does the work with a unit, which is given back however it ends. Throws what the wait for the unit and the work throw. */
export async function runWith<Result>(
  acquire: () => Promise<Release>,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await acquire();
  try {
    return await work();
  } finally {
    release();
  }
}
