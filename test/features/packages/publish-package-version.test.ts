import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { updateTotals } from '#features/packages/lifecycle.ts'
import { setPackageTag } from '#features/packages/set-package-tag.ts'
import { deletePackage } from '#features/packages/delete-package.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { versionById } from '#features/packages/store-versions.ts'
import { agentOf, refusal, withToken, type World } from '../../world.ts'
import { collectPlans } from '../../queries.ts'
import { makePackageWorld, npm, workspace } from './fixture.ts'

const versionName = ({ hearth }: World, id: string | null): string | null =>
  id === null ? null : (versionById(hearth.db, id)?.version ?? null)

test('twenty publishers of one version: one wins, equal content succeeds, the rest hear 409', async () => {
  const { world, ada, publish } = await makePackageWorld()
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => publish('lib', '1.0.0', { text: `content ${at % 4}` })),
  )
  const outcomes = results.map((result) =>
    result.status === 'fulfilled'
      ? result.value.outcome
      : (result.reason as { reason: string }).reason,
  )
  expect(Object.groupBy(outcomes, (outcome) => outcome ?? '')).toMatchObject({
    created: ['created'],
    unchanged: Array.from({ length: 4 }, () => 'unchanged'),
    version_exists: Array.from({ length: 15 }, () => 'version_exists'),
  })
  expect(await world.call(getPackage, ada, npm('lib'))).toMatchObject({ version_count: 1 })
  expect(world.events('package.published')).toHaveLength(1)
})

test('the latest version is the highest that is no prerelease', async () => {
  const { world, ada, publish } = await makePackageWorld()
  const latest = async () => (await world.call(getPackage, ada, npm('lib'))).latest
  await publish('lib', '1.0.0-rc.1')
  expect(await latest()).toBe('1.0.0-rc.1')
  await publish('lib', '1.10.0')
  await publish('lib', '1.9.0')
  await publish('lib', '2.0.0-beta')
  expect(await latest()).toBe('1.10.0')
})

test('latest version, number and bytes are those of all versions, in any order of publishing', async () => {
  const { world, ada, publish } = await makePackageWorld()
  const versions = ['1.0.0-a', '0.9.0', '1.0.0', '1.0.0-b', '2.0.0-rc', '1.2.0', '1.10.0', '1.9.1']
  for (let round = 0; round < 8; round++) {
    const name = `lib-${round}`
    const order = versions.toSorted(() => Math.random() - 0.5)
    for (const [at, version] of order.entries()) {
      // Equal files count once.
      await publish(name, version, { text: `${name} ${at % 3}`.repeat(1 + (at % 3)) })
      if (at === 4)
        await world.call(deletePackageVersion, ada, {
          ...npm(name),
          version: order[round % 5] ?? '',
        })
      const { id, latest, version_count, size_in_bytes } = await world.call(
        getPackage,
        ada,
        npm(name),
      )
      const all = await world.write((tx) => updateTotals(tx, id))
      expect([order, at, latest, version_count, size_in_bytes]).toEqual([
        order,
        at,
        versionName(world, all.latest_version_id),
        all.version_count,
        all.size_in_bytes,
      ])
    }
  }
})

test('an event tells what was published', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0', { tags: ['latest', 'next'] })
  const [event] = world.events('package.published')
  expect(event).toMatchObject({
    actor_id: ada.id,
    repo_id: null,
    data: {
      package: { package_type: 'npm', name: 'lib' },
      version: '1.0.0',
      tags: ['latest', 'next'],
    },
  })
})

test('an event tells whether a version is one for everyone', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('lib', '1.1.0-rc.1')
  await world.call(setPackageTag, ada, { ...npm('lib'), tag: 'stable', version: '1.0.0' })
  const events = world.events('package.published')
  expect(events.map(({ data }) => [data.version, data.release])).toEqual([
    ['1.0.0', true],
    ['1.1.0-rc.1', false],
    ['1.0.0', false],
  ])
})

test('creating needs membership and, where owners say so, ownership', async () => {
  const { world, ada, mel, zoe, publish } = await makePackageWorld()
  expect((await refusal(publish('lib', '1.0.0', {}, zoe))).status).toBe(404)
  await world.call(setMemberPrivileges, ada, { workspace, package_creation: 'owners' })
  expect(await refusal(publish('lib', '1.0.0', {}, mel))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect((await publish('lib', '1.0.0', {}, ada)).outcome).toBe('created')
})

test('an agent creates packages of its repository only, which are linked at once', async () => {
  const { world, ada, otto, repo, publish } = await makePackageWorld()
  await publish('other', '1.0.0')
  const agent = agentOf(otto, repo, { id: 'agt_01h455vb4pex5vsknk084sn02q' })
  await world.write((tx) => {
    tx.db.run(
      `INSERT INTO actors (id, kind, username, on_behalf_of) VALUES (?, 'agent', 'otto/bot', ?)`,
      agent.id,
      otto.id,
    )
  })
  await publish('made', '1.0.0', {}, agent)
  expect(await world.call(getPackage, ada, npm('made'))).toMatchObject({
    repository: { full_name: 'acme/site' },
    visibility: 'private',
  })
  expect(await refusal(publish('other', '2.0.0', {}, agent))).toMatchObject({ status: 409 })
  const elsewhere = { ...agent, repo_id: 'rep_x', token: { ...agent.token, repos: ['rep_x'] } }
  for (const name of ['other', 'missing'])
    expect(await refusal(publish(name, '2.0.0', {}, elsewhere))).toMatchObject({
      reason: 'agent_outside_repository',
    })
})

test('a private repository that the metadata names is linked for its admin, at creation only', async () => {
  const { world, ada, otto, publish } = await makePackageWorld()
  const metadata = { repository: { url: `git+${world.hearth.settings.site_url}/acme/site.git` } }
  await publish('first', '1.0.0', { metadata })
  await publish('second', '1.0.0', { metadata }, otto)
  await publish('third', '1.0.0')
  await publish('third', '1.1.0', { metadata })
  const linked = async (name: string) =>
    (await world.call(getPackage, ada, npm(name))).repository?.full_name ?? null
  expect([await linked('first'), await linked('second'), await linked('third')]).toEqual([
    'acme/site',
    null,
    null,
  ])
})

test('names that look like another, taken names and deleted packages are refused', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('left-pad', '1.0.0')
  for (const name of ['left_pad', 'left.pad', 'leftpad'])
    expect(await refusal(publish(name, '1.0.0'))).toMatchObject({ reason: 'already_exists' })
  expect(await refusal(publish('left-pad', '2.0.0', {}, mel))).toMatchObject({
    reason: 'already_exists',
  })
  await world.call(deletePackage, ada, { ...npm('left-pad'), confirm: 'left-pad' })
  expect(await refusal(publish('left-pad', '2.0.0'))).toMatchObject({ reason: 'already_exists' })
  expect(await refusal(publish('Left', '1.0.0'))).toMatchObject({ status: 422, field: 'name' })
})

test('publishing needs packages:write, and a confirmed address', async () => {
  const { world, ada, publish } = await makePackageWorld()
  const reading = withToken(ada, { scopes: ['packages:read'] })
  expect(await refusal(publish('lib', '1.0.0', {}, reading))).toMatchObject({ reason: 'scope' })
  const unconfirmed = { ...ada, verified: false }
  expect(await refusal(publish('lib', '1.0.0', {}, unconfirmed))).toMatchObject({
    reason: 'email_unconfirmed',
  })
  expect(world.events('package.published')).toEqual([])
})

test('a publish under a quota costs the same beside a million names: no statement reads a list', async () => {
  const { world, publish } = await makePackageWorld()
  const root = await world.user('root', { site_admin: true })
  await world.call(setQuota, root, { workspace, packages_bytes: 1e9 })
  const plans = await collectPlans(world.hearth, async () => {
    await publish('lib', '1.0.0')
    await publish('lib', '1.0.1')
  })
  const steps = [...plans.values()].flat()
  // The lists that are walked are parameters: the files to publish, and the workspace to count.
  const walked = steps.filter((step) => step.includes('SCAN'))
  expect([...new Set(walked)].toSorted()).toEqual([
    'SCAN json_each VIRTUAL TABLE INDEX 1:',
    'SCAN n VIRTUAL TABLE INDEX 1:',
  ])
  // A search by the workspace alone, or with the type, would read all packages.
  const byWorkspace = steps.filter((step) => /(?:workspace_id|type)=\?\)$/.test(step))
  const tables = byWorkspace.map((step) => step.split(' ')[1])
  expect(tables.toSorted()).toEqual([
    'package_upstreams',
    'quotas',
    'webhooks',
    'workspace_package_bytes',
  ])
})
