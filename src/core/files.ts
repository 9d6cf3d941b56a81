/**
 * Files beside the database that rows name: logs, assets, large files. A feature that keeps such
 * says where and which, so that the doctor can look for them. Backups hold every file of the data
 * directory that is not made to be thrown away.
 */
import type { Db } from './db.ts'
import { point } from './points.ts'

export type KeptFiles = {
  /** A folder of the data directory that is this feature's alone, such as `logs/checks`. */
  readonly folder: string
  /** Every file that a row names, as a path below that folder, with `/`. */
  readonly named: (db: Db) => Iterable<string>
}

/** Declared here, because those who keep files are trunk and leaves alike. */
export const keptFiles = point<KeptFiles>('core.kept_files')
