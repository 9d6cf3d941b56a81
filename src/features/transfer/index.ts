/** Moves one workspace from one forge to another. A leaf with commands and no operations. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { indexArrived } from './index-arrived.ts'

export { exportWorkspace, requireArchive } from './export-workspace.ts'
export { importWorkspace, MAX_ROWS_BESIDE_SERVER, type ImportOptions } from './import-workspace.ts'

export const feature: Feature = { name: 'transfer', jobs: [indexArrived as Job] }
