/** Artifacts and caches of a job that runs here. */
import type { Hearth } from '#core/hearth.ts'
import {
  artifactFile,
  artifactsForJob,
  cacheFile,
  createArtifact,
  findCacheForJob,
  mayWriteCaches,
  saveCache,
} from '#features/artifacts/index.ts'
import type { JobToRun } from '#features/workflows/index.ts'
import { notFound } from '#lib/errors.ts'
import type { ArtifactStore, CacheStore } from './execute/job-input.ts'

const READ_ONLY =
  'No cache is saved: the code of this run may be by somebody without Write, so it only reads caches'

export function filesOf(
  hearth: Hearth,
  { id: job_id, isTrusted, run, repo }: JobToRun,
): { artifacts: ArtifactStore; caches: CacheStore } {
  const runUrl = `${hearth.settings.site_url}/${repo.full_name}/runs/${run.id}`
  return {
    artifacts: {
      create: async (artifact) => {
        const { seq, id, sha256 } = await createArtifact(hearth, job_id, artifact)
        return { id: `${seq}`, url: `${runUrl}/artifacts/${id}`, digest: `sha256:${sha256}` }
      },
      list: () =>
        artifactsForJob(hearth.db, job_id).map(({ seq, name, size_in_bytes }) => ({
          id: `${seq}`,
          name,
          size: size_in_bytes,
        })),
      open: (name) => {
        const row = artifactsForJob(hearth.db, job_id).find((one) => one.name === name)
        if (!row) throw notFound(`the artifact ${name}`)
        return artifactFile(hearth, row)
      },
    },
    caches: {
      whyReadOnly: mayWriteCaches({ isTrusted, event_name: run.event_name }) ? null : READ_ONLY,
      find: async (wanted) => {
        const row = await findCacheForJob(hearth, job_id, wanted)
        const path = row && (await cacheFile(hearth, row))
        return row && path !== null ? { key: row.key, size: row.size_in_bytes, path } : null
      },
      save: async (cache) => (await saveCache(hearth, job_id, cache)) !== null,
    },
  }
}
