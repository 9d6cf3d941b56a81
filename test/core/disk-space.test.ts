import { expect, test } from 'bun:test'
import { isDiskFullError } from '#core/disk-space.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { makeWorld, refusal } from '../world.ts'

test('on a full disk changes are refused, reads and deletions go on, and it recovers by itself', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/site', { as: ada })
  await world.repo('acme/old', { as: ada })
  const { settings } = world.hearth
  const set = (disk_reserve: number) =>
    void Object.assign(settings, { limits: { ...settings.limits, disk_reserve } })
  set(Number.MAX_SAFE_INTEGER)
  expect(
    await refusal(world.call(createIssue, ada, { repo: 'acme/site', title: 'x' })),
  ).toMatchObject({ code: 'unavailable', status: 503, headers: { 'retry-after': '60' } })
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).name).toBe('site')
  await world.call(deleteRepo, ada, { repo: 'acme/old', confirm: 'acme/old' })
  expect(world.hearth.metrics.refusals.get('disk_full')).toBe(1)
  set(1)
  expect((await world.call(createIssue, ada, { repo: 'acme/site', title: 'x' })).number).toBe(1)
})

test('errors of a full or read-only disk are recognised, also as causes', () => {
  const coded = (code: string, cause?: unknown) =>
    Object.assign(new Error('x', { cause }), { code })
  for (const code of ['SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR_WRITE', 'ENOSPC', 'EROFS'])
    expect(isDiskFullError(coded(code))).toBe(true)
  expect(isDiskFullError(new Error('outside', { cause: coded('ENOSPC') }))).toBe(true)
  for (const error of [coded('SQLITE_BUSY'), new Error('x'), null, 'ENOSPC'])
    expect(isDiskFullError(error)).toBe(false)
})
