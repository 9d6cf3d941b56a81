/** What the repositories ask of this feature. */
import { importers } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'
import { beginImport, requireAddress } from './begin.ts'
import { findLatest } from './store.ts'

/** How long a repository tells that its copy failed. */
const SHOWN_FOR = 7 * DAY

export const importer = importers.with({
  async check(hearth, url) {
    await requireAddress(hearth, 'import_url', { url, secret: null })
  },
  begin(tx, row, url) {
    if (tx.caller === null || tx.caller.kind === 'anonymous')
      throw invalid('import_url', 'a copy is begun by somebody')
    beginImport(tx, row, { url, secret: null }, tx.caller.id)
  },
  stateOf(db, repo_id, now_ms) {
    const row = findLatest(db, repo_id)
    if (!row) return { importing: false, error: null }
    const shown =
      row.state === 'failed' &&
      row.finished_at !== null &&
      now_ms - Date.parse(row.finished_at) < SHOWN_FOR
    return {
      importing: row.finished_at === null,
      error: shown ? ((JSON.parse(row.errors) as string[]).at(-1) ?? null) : null,
    }
  },
})
