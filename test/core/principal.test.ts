import { expect, test } from 'bun:test'
import { GitError } from '#git'
import { anonymous } from '#core/caller.ts'
import { nowhere } from '#core/audit.ts'
import {
  currentPrincipal,
  withDeadline,
  engineRefusal,
  principalOf,
  withoutDeadline,
  runAs,
} from '#core/principal.ts'
import { getBlame } from '#features/repos/blame/get-blame.ts'
import { listCommits } from '#features/repos/commits/list-commits.ts'
import { makeWorld, refusal } from '../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo('acme/site', { as: ada })
await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })

test('the principal follows a call through its awaits', async () => {
  expect(currentPrincipal()).toBeNull()
  const seen = await runAs(
    'ada',
    async () => {
      await new Promise((resolve) => setImmediate(resolve))
      const inner = await withoutDeadline(async () => currentPrincipal())
      return [currentPrincipal(), inner]
    },
    1_000,
  )
  expect(seen).toEqual([
    { id: 'ada', deadlineMs: 1_000 },
    { id: 'ada', deadlineMs: null },
  ])
  expect(currentPrincipal()).toBeNull()
  expect(principalOf(ada, nowhere)).toBe(ada.id)
  expect(principalOf(anonymous, () => ({ ...nowhere, ip: '192.0.2.1' }))).toBe('at 192.0.2.1')
})

test('reading history after the deadline is 503, and a later call gets the result', async () => {
  const late = { code: 'unavailable', reason: 'concurrency', headers: { 'retry-after': '60' } }
  expect(
    await refusal(
      world.call(
        getBlame,
        ada,
        { repo: 'acme/site', path: 'a.txt' },
        { deadlineMs: performance.now() },
      ),
    ),
  ).toMatchObject(late)
  expect(
    await refusal(
      world.call(listCommits, ada, { repo: 'acme/site' }, { deadlineMs: performance.now() - 1 }),
    ),
  ).toMatchObject(late)
  expect(world.hearth.metrics.refusals.get('late')).toBe(2)
  expect((await world.call(getBlame, ada, { repo: 'acme/site', path: 'a.txt' })).length).toBe(1)
  // Places that were given up are free again.
  expect(world.hearth.git.load()).toEqual({
    packs: { running: 0, waiting: 0 },
    reads: { running: 0, waiting: 0 },
  })
})

test('a promise that settles before the deadline is unchanged', async () => {
  expect(await withDeadline(Promise.resolve(7), performance.now() + 60_000)).toBe(7)
  await expect(
    withDeadline(Promise.reject(new Error('broken')), performance.now() + 60_000),
  ).rejects.toThrow('broken')
  await expect(withDeadline(new Promise(() => {}), performance.now())).rejects.toMatchObject({
    code: 'late',
  })
})

test('overload errors become 503 with Retry-After, and other errors do not', () => {
  expect(
    engineRefusal(world.hearth, new GitError('busy', 'too much work waits already')),
  ).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '10' } })
  expect(engineRefusal(world.hearth, new GitError('missing', 'x'))).toBeNull()
  expect(engineRefusal(world.hearth, new Error('x'))).toBeNull()
})
