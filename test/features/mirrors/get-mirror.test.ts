import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

test('readers see who leads, but not what failed', async () => {
  const at = await it.pair()
  await at.lead()
  await it.pass(60_000)
  await world.write((tx) => void tx.db.run(`UPDATE mirrors SET last_error = 'at 10.0.0.1'`))
  const bob = await world.user('bob')
  const seen = await world.call(getMirror, bob, { repo: at.repo })
  expect(seen).toMatchObject({
    can_manage: false,
    remotes: [{ url: at.url, role: 'leader', last_error: null }],
  })
  expect(await world.call(getMirror, ada, { repo: at.repo })).toMatchObject({
    can_manage: true,
    remotes: [{ last_error: 'at 10.0.0.1' }],
  })
  await expect(world.call(getMirror, anonymous, { repo: at.repo })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})
