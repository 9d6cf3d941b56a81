import { expect, test } from 'bun:test'
import { deleteMirror } from '#features/mirrors/delete-mirror.ts'
import { listKeptMirrorRefs } from '#features/mirrors/list-kept-mirror-refs.ts'
import { restoreKeptMirrorRef } from '#features/mirrors/restore-kept-mirror-ref.ts'
import { syncMirror } from '#features/mirrors/sync-mirror.ts'
import { git } from '../../git/support/real-git.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

test('a commit that the leader took away becomes a branch, once this service leads', async () => {
  const at = await it.pair()
  const one = await at.push('main', 'one')
  const two = await at.push('main', 'two')
  await at.lead()
  await world.jobs()
  await git(at.remote, 'update-ref', 'refs/heads/main', one)
  await world.call(syncMirror, ada, { repo: at.repo })
  await world.jobs()
  const input = { repo: at.repo, sha: two, branch: 'found' }
  expect((await world.call(listKeptMirrorRefs, ada, { repo: at.repo })).items).toMatchObject([
    { sha: two, ref: 'refs/heads/main', side: 'service' },
  ])
  await expect(world.call(restoreKeptMirrorRef, ada, input)).rejects.toThrow('origin leads')
  await world.call(deleteMirror, ada, { repo: at.repo, id: (await at.link()).id })
  await expect(
    world.call(restoreKeptMirrorRef, ada, { ...input, sha: 'e'.repeat(40) }),
  ).rejects.toMatchObject({ code: 'not_found' })
  await world.call(restoreKeptMirrorRef, ada, input)
  expect(at.ours().get('refs/heads/found')).toBe(two)
})
