import { expect, test } from 'bun:test'
import { listImageReferrers } from '#features/packages/images/list-image-referrers.ts'
import { refusal } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('manifests about another one are listed by type, and are no versions', async () => {
  const { world, ada, mel, push, put } = await makeImageWorld()
  const digest = await push('one', ['v1'])
  const subject = { mediaType: 'x', digest, size: 1 }
  const signature = await put({ layers: [], artifactType: 'a/signature', subject }, [])
  await put({ layers: [], artifactType: 'a/sbom', subject }, [])
  const list = (artifact_type: string | null, who = ada) =>
    world.call(listImageReferrers, who, { ...image, digest, artifact_type })
  expect((await list(null)).manifests).toHaveLength(2)
  expect((await list('a/signature')).manifests.map((found) => found.digest)).toEqual([signature])
  expect((await refusal(list(null, mel))).status).toBe(404)
})
