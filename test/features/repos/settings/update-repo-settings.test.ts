import { expect, test } from 'bun:test'
import { listAudit } from '#core/audit.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo('acme/site', { private: true })

test('settings: all are there, only what is given changes, and nonsense is refused', async () => {
  const repo = 'acme/site'
  const changed = await world.call(updateRepoSettings, ada, {
    repo,
    required_approvals: 2,
    merge_methods: ['squash'],
    default_merge_method: 'squash',
  })
  expect(changed).toMatchObject({
    required_approvals: 2,
    merge_methods: ['squash'],
    require_up_to_date: true,
    max_revisions: 3,
    admins_may_push: true,
    require_last_push_approval: true,
  })
  expect(world.events('repo.updated').at(-1)?.data).toEqual({
    changed: ['required_approvals', 'merge_methods', 'default_merge_method'],
  })
  const entries = () =>
    listAudit(world.hearth.db, { action: 'repo.settings_changed', limit: 10 }).map(({ data }) =>
      JSON.parse(data),
    )
  expect(entries()).toMatchObject([
    {
      before: { required_approvals: 0, default_merge_method: 'merge' },
      after: { required_approvals: 2, merge_methods: ['squash'], default_merge_method: 'squash' },
    },
  ])
  const before = world.events().length
  await world.call(updateRepoSettings, ada, { repo, required_approvals: 2 })
  expect([world.events().length, entries().length]).toEqual([before, 1])
  const wrong = [
    { required_approvals: 11 },
    { merge_methods: [] },
    { default_merge_method: 'rebase' },
    { contributions: 'friends' },
    { max_revisions: 'many' },
  ]
  for (const input of wrong) {
    const field = Object.keys(input)[0] ?? ''
    expect(
      await refusal(world.call(updateRepoSettings, ada, { repo, ...input } as never)),
    ).toMatchObject({ status: 422, field })
  }
  expect(
    await refusal(world.call(updateRepoSettings, ada, { repo, requierd_approvals: 1 } as never)),
  ).toMatchObject({ status: 422, field: 'requierd_approvals' })
  expect(
    await refusal(world.call(updateRepoSettings, ada, { repo, agent_review: true })),
  ).toMatchObject({ status: 409, reason: 'model_not_configured' })
  expect(
    (await refusal(world.call(updateRepoSettings, bob, { repo, auto_merge: true }))).status,
  ).toBe(403)
})
