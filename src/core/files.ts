/**
 * Files in the data directory that rows of the database name: logs, assets, large files. A feature
 * with such files lists them here, so that the doctor can check that they exist. Backups hold all
 * files of the data directory except temporary ones.
 */
import type { Db } from './db.ts'
import { extensionPoint } from './extension-points.ts'

export type ReferencedFiles = {
  /** A folder of the data directory that only this feature uses, such as `logs/checks`. */
  readonly folder: string
  /** Every file that a row names, as a path below `folder`, with `/`. */
  readonly list: (db: Db) => Iterable<string>
}

/** Declared in core, because trunk features and leaves have such files. */
export const referencedFiles = extensionPoint<ReferencedFiles>('core.kept_files')
