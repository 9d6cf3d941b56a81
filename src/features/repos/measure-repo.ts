/**
 * After a push to the default branch: the repository's language, licence and size, for lists and
 * pages.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { isLicenseFile, licenseOf } from './license.ts'
import { headCommit } from './resolve.ts'
import { repoById, setMeasures } from './store.ts'

/** A licence text is at most this long; the longest common one has 35 KB. */
const LONGEST_LICENSE = 64 * 1024

async function findLicense({ git }: Hearth, store: string, commit: string): Promise<string | null> {
  const entries = (await git.tree(store, commit, '')) ?? []
  for (const entry of entries.filter(({ type, name }) => type === 'file' && isLicenseFile(name))) {
    const blob = await git.blob(store, entry.oid, LONGEST_LICENSE)
    const license = blob && licenseOf(new TextDecoder().decode(blob.data))
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
    const languages = commit === null ? [] : await hearth.git.languages(row.store, commit)
    const license = commit === null ? null : await findLicense(hearth, row.store, commit)
    const size_in_bytes = await hearth.git.sizeOf(row.store)
    await writeAs(hearth, null, (tx) =>
      setMeasures(tx, repo_id, {
        language: languages[0]?.language ?? null,
        license,
        size_in_bytes,
      }),
    )
  },
})
