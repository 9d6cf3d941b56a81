import { expect, test } from 'bun:test'
import { deleteMirror } from '#features/mirrors/delete-mirror.ts'
import { takeOverMirror } from '#features/mirrors/take-over-mirror.ts'
import { MINUTE } from '#lib/time.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

test('without the link everyone pushes here, and what only the remote had is kept', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  await world.call(takeOverMirror, ada, { repo: at.repo })
  const held = await at.push('main', 'two')
  await it.pass(6 * MINUTE)
  const { id } = await at.link()
  const answer = await world.call(deleteMirror, ada, { repo: at.repo, id })
  expect(answer.remotes).toEqual([])
  await world.commit(at.repo, 'main', { a: '1' })
  expect(world.hearth.db.all('SELECT oid FROM mirror_kept_refs')).toEqual([{ oid: held }])
  await expect(world.call(deleteMirror, ada, { repo: at.repo, id })).rejects.toMatchObject({
    code: 'not_found',
  })
})
