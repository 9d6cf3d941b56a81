/** Backups of a set of files in a directory or a bucket. */
export {
  BackupError,
  MissingObjectError as Missing,
  type BackupStore as Place,
  type StoredObject as Stored,
} from './backup-store.ts'
export { locateBackup, openBackupStore as openPlace } from './open-backup-store.ts'
export { openDirectoryStore as directoryPlace } from './directory-store.ts'
export { parseS3Address as parseS3, openS3Store as s3Place, type S3Settings } from './s3-store.ts'
export {
  createDecrypter as opener,
  readIdentities,
  createEncrypter as sealer,
} from './encryption.ts'
export {
  isBackupId,
  manifestPath as manifestName,
  partPath as partName,
  type BackupContent as Content,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
export {
  writeBackup,
  type BackupFacts,
  type RemoteFile as Distant,
  type BackupProgress as Progress,
  type BackupSource as Source,
  type ReportProgress as Tell,
  type WriteBackupResult as Written,
} from './write-backup.ts'
export {
  checkBackup,
  readContent as contentOf,
  listBackups,
  readManifest,
  requireBackup,
  type ListedBackup as Listed,
} from './read-backup.ts'
export {
  restoreBackup,
  readRestoreMarker as unfinishedRestore,
  RESTORE_MARKER as UNFINISHED,
  type RestoreOptions,
} from './restore-backup.ts'
export {
  isOwn,
  pruneBackups as prune,
  selectRetained as toKeep,
  type RetentionPolicy as Keep,
} from './prune.ts'
