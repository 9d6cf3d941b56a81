/** The `importers` extension of repositories. */
import { importers } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'
import { enqueueImport, requireImportAddress } from './begin-import.ts'
import { errorsOf, findLatestImport } from './store.ts'

/** How long a repository shows why its import failed. */
const ERROR_SHOWN_MS = 7 * DAY

export const importer = importers.with({
  async check(hearth, url) {
    await requireImportAddress(hearth, 'import_url', { url, secret: null })
  },
  begin(tx, row, url) {
    if (tx.caller === null || tx.caller.kind === 'anonymous')
      throw invalid('import_url', 'a copy is begun by somebody')
    enqueueImport(
      tx,
      row,
      { url, secret: null },
      { created_by: tx.caller.id, source: 'git', steps: ['code'] },
    )
  },
  stateOf(db, repo_id, now_ms) {
    const row = findLatestImport(db, repo_id)
    if (!row) return { importing: false, error: null }
    const shown =
      row.state === 'failed' &&
      row.code_complete === 0 &&
      row.finished_at !== null &&
      now_ms - Date.parse(row.finished_at) < ERROR_SHOWN_MS
    return {
      // The code is whole, and the rest arrives while the repository is used.
      importing: row.finished_at === null && row.code_complete === 0,
      error: shown ? (errorsOf(row).at(-1) ?? null) : null,
    }
  },
})
