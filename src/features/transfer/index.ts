/**
 * One workspace from one forge to another, by whoever keeps them. A leaf with commands and no
 * operations.
 */
export { exportWorkspace, requireArchive } from './export-workspace.ts'
export { importWorkspace, type Imported, type ImportOptions } from './import-workspace.ts'
