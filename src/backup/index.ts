/** The door of the backup room. */
export { BackupError, Missing, type Place, type Stored } from './place.ts'
export { locateBackup, openPlace } from './open-place.ts'
export { directoryPlace } from './directory-place.ts'
export { parseS3, s3Place, type S3Settings } from './s3-place.ts'
export { opener, readIdentities, sealer } from './sealing.ts'
export {
  isBackupId,
  manifestName,
  partName,
  type Content,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
export {
  writeBackup,
  type BackupFacts,
  type Distant,
  type Progress,
  type Source,
  type Tell,
  type Written,
} from './write-backup.ts'
export {
  checkBackup,
  contentOf,
  listBackups,
  readManifest,
  requireBackup,
  type Listed,
} from './read-backup.ts'
export {
  restoreBackup,
  unfinishedRestore,
  UNFINISHED,
  type RestoreOptions,
} from './restore-backup.ts'
export { prune, toKeep, type Keep } from './prune.ts'
