/** Imports: copies of repositories from other servers, made by a job that survives restarts. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoRecordPreloads } from '#features/repos/index.ts'
import { importer } from './importer.ts'
import { reactions } from './reactions.ts'
import { runImport } from './run-import.ts'
import { preloadLatestImports } from './store.ts'
import * as operations from './operations.ts'

export * from './schema.ts'
export * from './operations.ts'
export { importExportedRepo } from './records/import-records.ts'
export { FORMAT as RECORDS_FORMAT } from './records/records-forge.ts'

export const feature: Feature = {
  name: 'imports',
  operations: Object.values(operations),
  reactions,
  jobs: [runImport] as Job[],
  extensions: [importer, repoRecordPreloads.with(preloadLatestImports)],
}
