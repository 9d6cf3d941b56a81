export { listBackups } from './list-backups.ts'
export { createBackup } from './create-backup.ts'
export { verifyBackup } from './verify-backup.ts'
