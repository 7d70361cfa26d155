import { join } from 'node:path';

/** Where the database's files lie in DATA_DIR. */
export const clusterFolder = (dataDir: string): string => join(dataDir, 'postgres');
