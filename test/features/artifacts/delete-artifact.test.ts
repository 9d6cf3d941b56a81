import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { blobPath, sweepBlobs } from '#core/blobs.ts'
import { insertJob } from '#core/jobs.ts'
import { deleteArtifact } from '#features/artifacts/delete-artifact.ts'
import { listArtifacts } from '#features/artifacts/list-artifacts.ts'
import { DAY } from '#lib/time.ts'
import { makeFilesWorld, REPO } from './fixture.ts'

test('deletes an artifact, and its bytes when no other has them', async () => {
  const { world, hearth, ada, eve, job, artifact } = await makeFilesWorld()
  const one = await artifact('one', 'own bytes')
  const two = await artifact('two', 'same bytes')
  await artifact('three', 'same bytes')
  const remove = (id: string, as = ada) => world.call(deleteArtifact, as, { ...REPO, id })
  await expect(remove(one.id, eve)).rejects.toMatchObject({ code: 'forbidden' })
  await remove(one.id)
  await remove(two.id)
  await expect(remove(one.id)).rejects.toMatchObject({ code: 'not_found' })
  world.clock.advance(2 * DAY)
  await world.write((tx) => void insertJob(tx.db, sweepBlobs, null, tx.now_ms))
  await world.jobs()
  const exists = (sha256: string | null) => existsSync(blobPath(hearth, sha256 ?? ''))
  expect([exists(one.sha256), exists(two.sha256)]).toEqual([false, true])
  const { items } = await world.call(listArtifacts, ada, { ...REPO, id: job.run.id })
  expect(items.map(({ name }) => name)).toEqual(['three'])
})
