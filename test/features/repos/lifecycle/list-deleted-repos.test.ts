import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { listDeletedRepos } from '#features/repos/lifecycle/list-deleted-repos.ts'
import { DAY } from '#lib/time.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

test('owners see what can still be restored; everyone else an empty list', async () => {
  const { world, ada, bob, eve, acme, site } = await makeLife()
  await world.repo('acme/docs')
  await world.call(deleteRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
  world.clock.advance(DAY)
  await world.call(deleteRepo, ada, { repo: 'acme/docs', confirm: 'acme/docs' })
  const list = async () =>
    (await world.call(listDeletedRepos, ada, { workspace: 'acme' })).items.map(
      ({ full_name, purge_at }) => [full_name, purge_at],
    )
  expect(await list()).toEqual([
    ['acme/docs', '2026-04-01T12:00:00.000Z'],
    ['acme/site', '2026-03-31T12:00:00.000Z'],
  ])
  for (const caller of [
    bob,
    eve,
    agentOf(ada, site, { id: 'agt_1' }),
    workspaceCaller(acme, { scopes: null }),
    withToken(ada, { repos: [site.id] }),
  ]) {
    expect(await world.call(listDeletedRepos, caller, { workspace: 'acme' })).toEqual({
      items: [],
      next: null,
    })
  }
  expect(await world.call(listDeletedRepos, ada, { workspace: 'nowhere' })).toEqual({
    items: [],
    next: null,
  })
  expect(
    (await refusal(world.call(listDeletedRepos, anonymous, { workspace: 'acme' }))).status,
  ).toBe(401)
  const first = await world.call(listDeletedRepos, ada, { workspace: 'acme', per_page: 1 })
  expect([first.items.length, first.next]).toEqual([1, '2'])
  world.clock.advance(29 * DAY)
  expect((await list()).map(([name]) => name)).toEqual(['acme/docs'])
})
