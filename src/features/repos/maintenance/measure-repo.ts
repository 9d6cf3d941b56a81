/**
 * Measures a repository's language, licence and size after a push to the default branch, for lists
 * and pages.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { isLicenseFile, detectLicense } from '../files/license.ts'
import { findLanguages } from '../insights/list-languages.ts'
import { headCommit } from '../refs/resolve-commit.ts'
import { repoById, setMeasurements } from '../store/repos.ts'

/** The longest common licence text has 35 KB. */
const MAX_LICENSE_BYTES = 64 * 1024

async function findLicense({ git }: Hearth, store: string, commit: string): Promise<string | null> {
  const entries = (await git.listTree(store, commit, '')) ?? []
  for (const entry of entries.filter(({ type, name }) => type === 'file' && isLicenseFile(name))) {
    const blob = await git.readBlob(store, entry.oid, MAX_LICENSE_BYTES)
    const license = blob && detectLicense(new TextDecoder().decode(blob.data))
    if (license) return license
  }
  return null
}

export const measureRepo = job<{ repo_id: string }>({
  kind: 'measure_repo',
  run: async ({ hearth }, { repo_id }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    const commit = headCommit(hearth, row)
    const languages = commit === null ? [] : await findLanguages(hearth, row.store, commit)
    const license = commit === null ? null : await findLicense(hearth, row.store, commit)
    const size_in_bytes = await hearth.git.sizeOf(row.store)
    await writeAs(hearth, null, (tx) =>
      setMeasurements(tx, repo_id, {
        language: languages[0]?.language ?? null,
        license,
        size_in_bytes,
      }),
    )
  },
})
