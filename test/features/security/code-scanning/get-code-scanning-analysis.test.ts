import { expect, test } from 'bun:test'
import { getCodeScanningAnalysis } from '#features/security/code-scanning/get-code-scanning-analysis.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, REPO } from './fixture.ts'

test('an analysis is found by its id, in its repository', async () => {
  const { world, ada, scan } = await makeScanWorld()
  await world.repo('acme/other', { as: ada })
  const { id: sarif_id, analyses } = await scan([{ path: 'a.txt' }])
  const id = analyses[0] ?? ''
  expect(await world.call(getCodeScanningAnalysis, ada, { repo: REPO, id })).toMatchObject({
    id,
    sarif_id,
    results: 1,
  })
  for (const [repo, other] of [
    ['acme/other', id],
    [REPO, 'ana_none'],
  ] as const)
    expect(
      (await refusal(world.call(getCodeScanningAnalysis, ada, { repo, id: other }))).status,
    ).toBe(404)
})
