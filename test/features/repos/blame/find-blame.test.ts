import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { findBlame } from '#features/repos/blame/find-blame.ts'
import { getBlame } from '#features/repos/blame/get-blame.ts'
import { refusal } from '../../../world.ts'
import { makeCode, repo } from '../code.ts'

const { world } = await makeCode()

test('blame that is found in time is the same as that of get_blame', async () => {
  const found = await world.call(findBlame, anonymous, { repo, path: 'a.ts', wait_ms: 60_000 })
  expect(found).toEqual({
    items: (await world.call(getBlame, anonymous, { repo, path: 'a.ts' })).map((range) => ({
      ...range,
      path: 'a.ts',
    })),
    late: false,
  })
  expect(
    await refusal(world.call(findBlame, anonymous, { repo, path: 'docs', wait_ms: 0 })),
  ).toMatchObject({ status: 422, field: 'path' })
})
