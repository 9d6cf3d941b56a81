import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getArtifactLink } from '#features/artifacts/get-artifact-link.ts'
import { openArtifact } from '#features/artifacts/open-artifact.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { saveCache } from '#features/artifacts/job-caches.ts'
import { createArtifact } from '#features/artifacts/job-artifacts.ts'
import { makeFilesWorld, REPO } from './fixture.ts'

const tokenOf = (url: string): string => url.split('/').at(-2) ?? ''

test('a link opens its artifact alone, unchanged and in time', async () => {
  const { world, ada, artifact } = await makeFilesWorld()
  const { id } = await artifact('app', 'bytes')
  const other = await artifact('other')
  const token = tokenOf((await world.call(getArtifactLink, ada, { ...REPO, id })).url)
  expect(await world.call(openArtifact, anonymous, { token })).toMatchObject({
    name: 'app',
    size_in_bytes: 5,
  })
  const changed = token.replace(id, other.id)
  await expect(world.call(openArtifact, anonymous, { token: changed })).rejects.toThrow('not exist')
  world.clock.advance(600_001)
  await expect(world.call(openArtifact, anonymous, { token })).rejects.toMatchObject({
    code: 'gone',
  })
})

test('a job that has ended makes nothing any more', async () => {
  const { world, hearth, ada, job, finish } = await makeFilesWorld()
  await finish(job)
  expect((await world.call(listRuns, ada, REPO)).items[0]?.status).toBe('completed')
  const bytes = (async function* () {
    yield Buffer.from('late')
  })()
  const late = { name: 'late', bytes, retentionDays: null, overwrite: false }
  await expect(createArtifact(hearth, job.id, late)).rejects.toThrow('does not run')
  await expect(saveCache(hearth, job.id, { key: 'late', version: 'v', bytes })).rejects.toThrow(
    'does not run',
  )
})
