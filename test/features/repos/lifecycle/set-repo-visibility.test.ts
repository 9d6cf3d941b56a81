import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { refusal, withToken } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('who sees it changes with one event and one entry, for its forks as well', async () => {
  const { world, ada, bob, eve, audits, pull } = await makeLife()
  const number = await pull()
  const input = { repo: 'acme/site', private: true, confirm: 'acme/site' }
  expect(await world.call(setRepoVisibility, ada, input)).toMatchObject({
    private: true,
    visibility: 'private',
  })
  expect((await refusal(world.call(getRepo, anonymous, { repo: 'acme/site' }))).status).toBe(404)
  expect(
    (await refusal(world.call(getRepo, eve, { repo: `acme/site/pull/${number}` }))).status,
  ).toBe(404)
  expect((await world.call(getRepo, bob, { repo: 'acme/site' })).private).toBe(true)
  await world.call(setRepoVisibility, ada, input)
  expect(world.events('repo.visibility_changed').map(({ data }) => data)).toEqual([
    { private: true },
  ])
  expect(audits('repo.visibility_changed')).toMatchObject([
    { data: { before: { private: false }, after: { private: true } } },
  ])
  expect(
    world.hearth.db.one<{ private: number }>(
      'SELECT private FROM repos WHERE pull_number = ?',
      number,
    )?.private,
  ).toBe(1)
  expect((await world.call(setRepoVisibility, ada, { ...input, private: false })).visibility).toBe(
    'public',
  )
  expect((await world.call(getRepo, anonymous, { repo: 'acme/site' })).private).toBe(false)
})

test('it wants the full name, an admin, and the privilege of members', async () => {
  const { world, ada, bob, eve, acme, admins } = await makeLife()
  const input = { repo: 'acme/site', private: true, confirm: 'acme/site' }
  for (const confirm of ['', 'site', 'acme/SITE', 'acme/site ']) {
    expect(await refusal(world.call(setRepoVisibility, ada, { ...input, confirm }))).toMatchObject({
      status: 422,
      field: 'confirm',
    })
  }
  for (const caller of [bob, eve])
    expect(await refusal(world.call(setRepoVisibility, caller, input))).toMatchObject({
      status: 403,
      reason: 'role',
    })
  expect(
    await refusal(world.call(setRepoVisibility, withToken(ada, { scopes: ['repo:admin'] }), input)),
  ).toMatchObject({ status: 403, reason: 'scope' })
  await admins()
  await world.write((tx) =>
    tx.db.run('UPDATE workspaces SET members_can_change_repo_visibility = 0 WHERE id = ?', acme.id),
  )
  expect(await refusal(world.call(setRepoVisibility, bob, input))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(
    await refusal(world.call(updateRepo, bob, { repo: 'acme/site', private: true })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(world.events('repo.visibility_changed')).toEqual([])
  await world.write((tx) =>
    tx.db.run('UPDATE workspaces SET members_can_change_repo_visibility = 1 WHERE id = ?', acme.id),
  )
  expect((await world.call(setRepoVisibility, bob, input)).private).toBe(true)
})
