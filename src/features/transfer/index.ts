/** Moves one workspace from one forge to another. A leaf with commands and no operations. */
export { exportWorkspace, requireArchive } from './export-workspace.ts'
export { importWorkspace, type ImportOptions } from './import-workspace.ts'
