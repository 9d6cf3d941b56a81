import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { listWorkspaceEvents } from '#features/notifications/feeds/list-workspace-events.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { agentOf, refusal, withToken } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('list_workspace_events shows what each reader may see, page by page', async () => {
  const { world, issue, ada, mel, otto, site } = await makeNotificationWorld()
  await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  await issue(ada)
  await issue(ada, {}, 'acme/vault')
  const { pull } = await world.call(createPull, mel, { repo: 'acme/site', title: 'Change it' })
  await world.commit(`acme/site/pull/${pull.number}`, 'main', { 'b.txt': 'b\n' }, { as: mel })
  const seen = async (as: Caller, input = {}) =>
    (await world.call(listWorkspaceEvents, as, { workspace: 'acme', per_page: 100, ...input }))
      .items
  const places = (events: Awaited<ReturnType<typeof seen>>) =>
    [...new Set(events.map(({ repository }) => repository?.full_name ?? 'workspace'))].sort()
  expect(places(await seen(ada))).toEqual(['acme/site', 'acme/vault', 'workspace'])
  expect(places(await seen(otto))).toEqual(['acme/site'])
  expect(places(await seen(anonymous))).toEqual(['acme/site'])
  expect(places(await seen(agentOf(mel, site, { id: 'agt_1' })))).toEqual(['acme/site'])
  expect(places(await seen(withToken(mel, { repos: [site.id] })))).toEqual(['acme/site'])
  // The pushes into a fork are told with its pull request.
  expect(
    (await seen(ada, { types: ['git.push'] })).map(({ repository }) => repository?.full_name),
  ).toEqual(['acme/site'])
  expect(new Set((await seen(ada, { types: ['issue.opened'] })).map(({ type }) => type))).toEqual(
    new Set(['issue.opened']),
  )

  const all = (await seen(otto)).map(({ id }) => id)
  const walked: string[] = []
  for (let before: string | undefined; ; ) {
    const page = await world.call(listWorkspaceEvents, otto, {
      workspace: 'acme',
      per_page: 2,
      ...(before ? { before } : {}),
    })
    walked.push(...page.items.map(({ id }) => id))
    if (page.next === null) break
    before = page.next
  }
  expect(walked).toEqual(all)
  expect((await refusal(world.call(listWorkspaceEvents, ada, { workspace: 'nobody' }))).code).toBe(
    'not_found',
  )
  expect(
    (await refusal(world.call(listWorkspaceEvents, ada, { workspace: 'acme', types: ['no.such'] })))
      .field,
  ).toBe('types')
})
