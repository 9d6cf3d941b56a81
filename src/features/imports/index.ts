/** Imports: copies of repositories from elsewhere, made by a job that survives a restart. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoLists } from '#features/repos/index.ts'
import { cancelImport } from './cancel-import.ts'
import { createImport } from './create-import.ts'
import { getImport } from './get-import.ts'
import { getRepoImport } from './get-repo-import.ts'
import { importer } from './importer.ts'
import { reactions } from './reactions.ts'
import { retryImport } from './retry-import.ts'
import { runImport } from './run-import.ts'
import { keepLatest } from './store.ts'

export * from './schema.ts'
export { cancelImport, createImport, getImport, getRepoImport, retryImport }

export const feature: Feature = {
  name: 'imports',
  operations: [createImport, getImport, cancelImport, getRepoImport, retryImport],
  reactions,
  jobs: [runImport] as Job[],
  extensions: [importer, repoLists.with(keepLatest)],
}
