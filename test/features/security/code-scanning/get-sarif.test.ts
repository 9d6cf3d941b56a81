import { expect, test } from 'bun:test'
import { getSarif } from '#features/security/code-scanning/get-sarif.ts'
import { uploadSarif } from '#features/security/code-scanning/upload-sarif.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, packed, REPO, sarif } from './fixture.ts'

test('an upload is pending until it is processed, and says what could not be read', async () => {
  const { world, ada, otto, ref } = await makeScanWorld()
  const file = sarif([{ path: 'file:///somewhere/else.ts' }, { path: 'a.txt' }], {
    invocations: [{ executionSuccessful: false }],
  })
  const { id, url } = await world.call(uploadSarif, ada, {
    repo: REPO,
    commit_sha: ref('main') ?? '',
    git_ref: 'refs/heads/main',
    sarif: packed(file),
  })
  expect(url).toEndWith(`/api/v1/repos/${REPO}/code-scanning/sarifs/${id}`)
  const get = () => world.call(getSarif, ada, { repo: REPO, id })
  expect(await get()).toMatchObject({ processing_status: 'pending', analyses: [] })
  await world.jobs()
  expect(await get()).toMatchObject({
    processing_status: 'complete',
    analyses: [expect.stringMatching(/^ana_/)],
    errors: ['the tool reports that its run failed', '1 results are in no file of the commit'],
  })
  expect((await refusal(world.call(getSarif, otto, { repo: REPO, id }))).status).toBe(403)
  expect((await refusal(world.call(getSarif, ada, { repo: REPO, id: 'sar_x' }))).status).toBe(404)
})
