import { expect, test } from 'bun:test'
import { listCodeScanningAnalyses } from '#features/security/code-scanning/list-code-scanning-analyses.ts'
import { makeScanWorld, REPO } from './fixture.ts'

test('analyses are listed newest first, by ref, tool and category', async () => {
  const { world, ada, row, ref, scan } = await makeScanWorld()
  await world.commit(REPO, 'topic', { 'x.ts': 'x()\n' })
  await scan([{ path: 'a.txt' }])
  await scan([{ path: 'x.ts' }], { branch: 'topic', category: 'nightly' })
  const list = async (input: object = {}) =>
    (await world.call(listCodeScanningAnalyses, ada, { repo: REPO, ...input })).items
  expect(await list()).toMatchObject([
    { git_ref: 'refs/heads/topic', category: 'nightly', results: 1, new_alerts: 1 },
    {
      repo_id: row().id,
      tool: 'Scanner',
      tool_version: '1.2.3',
      category: '',
      commit_sha: ref('main'),
      pull: null,
      dropped: 0,
    },
  ])
  expect((await list({ ref: 'topic' })).length).toBe(1)
  expect((await list({ ref: 'refs/heads/main' })).length).toBe(1)
  expect(await list({ category: 'none' })).toEqual([])
  expect(await list({ tool: 'Other' })).toEqual([])
})
