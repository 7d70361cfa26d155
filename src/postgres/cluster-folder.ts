import { join } from 'node:path';

/** The folder of the database's files in DATA_DIR. */
export const clusterFolderOf = (dataDir: string): string => join(dataDir, 'postgres');
