import { expect, test } from 'bun:test'
import { repoStandingOf } from '#features/notifications/index.ts'
import { starRepo } from '#features/notifications/stars/star-repo.ts'
import { unstarRepo } from '#features/notifications/stars/unstar-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { agentOf, refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('star_repo and unstar_repo: counted once each, hidden from a private repository with those who lost sight of it', async () => {
  const { world, ada, mel, otto, site } = await makeNotificationWorld()
  const count = async () => (await world.call(getRepo, ada, { repo: 'acme/site' })).stars_count
  for (const person of [mel, mel, otto]) await world.call(starRepo, person, { repo: 'acme/site' })
  expect(await count()).toBe(2)
  expect(repoStandingOf(world.hearth, otto, site.id)).toEqual({
    starred: true,
    level: 'participating',
  })
  expect(repoStandingOf(world.hearth, ada, site.id)).toEqual({
    starred: false,
    level: 'participating',
  })
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: true,
    confirm: 'acme/site',
  })
  expect(await count()).toBe(1)
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: false,
    confirm: 'acme/site',
  })
  expect(await count()).toBe(2)
  await world.call(unstarRepo, mel, { repo: 'acme/site' })
  await world.call(unstarRepo, mel, { repo: 'acme/site' })
  expect(await count()).toBe(1)
  // One's own star can be taken back when one sees the repository no more, and then there is
  // nothing to find.
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: true,
    confirm: 'acme/site',
  })
  await world.call(unstarRepo, otto, { repo: 'acme/site' })
  expect((await refusal(world.call(unstarRepo, otto, { repo: 'acme/site' }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(starRepo, otto, { repo: 'acme/vault' }))).code).toBe('not_found')
  expect((await refusal(world.call(unstarRepo, otto, { repo: 'acme/nothing' }))).code).toBe(
    'not_found',
  )
  expect(
    (
      await refusal(
        world.call(starRepo, agentOf(mel, site, { id: 'agt_1' }), { repo: 'acme/site' }),
      )
    ).reason,
  ).toBe('person_required')
})
