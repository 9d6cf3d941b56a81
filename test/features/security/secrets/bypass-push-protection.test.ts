import { expect, test } from 'bun:test'
import { bypassPushProtection } from '#features/security/secrets/bypass-push-protection.ts'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { repoByPath } from '#features/repos/index.ts'
import { push } from '#features/repos/push/push.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { HOUR } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from './fixture.ts'

const placeholderIn = (lines: readonly string[]): string =>
  /placeholder=(pp_\S+)/.exec(lines.join('\n'))?.[1] ?? ''

test('whoever was refused lets the same secret through for three hours, with an alert and an audit entry', async () => {
  const { world, ada, repo, main, commit, pushTo, alerts } = await makeSecretsWorld()
  const secret = madeUpToken()
  const bad = await commit(main, { 'ci.yml': `a\nTOKEN: ${secret}\n` })
  const { refused, lines } = await pushTo('work', bad)
  expect(refused).toContain('ci.yml:2 holds a GitHub token')
  expect(lines.join('\n')).toContain(`https://hearth.test/${repo}/security/secrets/bypass`)
  expect(await alerts()).toEqual([])
  const bypass = await world.call(bypassPushProtection, ada, {
    repo,
    placeholder: placeholderIn(lines),
    reason: 'will_fix_later',
  })
  expect(bypass).toMatchObject({ type: 'github-token', reason: 'will_fix_later' })
  expect((await pushTo('work', bad)).refused).toBeNull()
  await world.jobs()
  const [alert] = await alerts()
  expect(alert).toMatchObject({
    id: bypass.alert,
    state: 'open',
    preview: `${secret.slice(0, 4)}••••${secret.slice(-2)}`,
    push_protection_bypassed: true,
    bypass: { by: { username: 'ada' }, reason: 'will_fix_later' },
    locations_count: 1,
  })
  const other = await commit(main, { 'ci.yml': `TOKEN: ${madeUpToken()}\n` })
  expect((await pushTo('other', other)).refused).toContain('ci.yml:1')
  world.clock.advance(3 * HOUR + 1000)
  const again = await commit(main, { 'again.yml': secret })
  expect((await pushTo('again', again)).refused).toContain('again.yml:1')
  const audited = world.hearth.db.all<{ data: string }>(
    `SELECT data FROM audit_log WHERE action = 'security.push_protection_bypassed'`,
  )
  expect(audited).toHaveLength(1)
  expect(JSON.stringify([audited, alert, bypass, lines, refused])).not.toContain(secret)
})

test('a placeholder is for the person who was refused, and only for as long', async () => {
  const { world, ada, bob, repo, main, commit, pushTo } = await makeSecretsWorld()
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'write' })
  const bad = await commit(main, { a: madeUpToken() })
  const placeholder = placeholderIn((await pushTo('work', bad)).lines)
  const take = (as: typeof ada, given = placeholder) =>
    world.call(bypassPushProtection, as, { repo, placeholder: given, reason: 'false_positive' })
  expect((await refusal(take(bob))).code).toBe('not_found')
  expect((await refusal(take(ada, `${placeholder.slice(0, -1)}!`))).code).toBe('not_found')
  expect((await refusal(take(ada, 'pp_'))).code).toBe('not_found')
  world.clock.advance(3 * HOUR + 1000)
  expect((await refusal(take(ada))).code).toBe('not_found')
  expect(world.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM secret_alerts')?.n).toBe(0)
})

test('a commit through the API is refused with the findings, and works after the bypass', async () => {
  const { world, ada, repo, main } = await makeSecretsWorld()
  const secret = madeUpToken()
  const save = () =>
    world.call(createCommit, ada, {
      repo,
      branch: 'main',
      new_branch: 'api',
      message: 'x',
      files: [{ path: 'k.txt', action: 'put', content: `x\n${secret}` }],
    })
  const error = await refusal(save())
  expect(error).toMatchObject({ status: 403, reason: 'push_protection' })
  const [finding] = error.details.findings as { type: string; path: string; placeholder: string }[]
  expect(finding).toMatchObject({ type: 'github-token', path: 'k.txt', line: 2 })
  expect(JSON.stringify(error.details)).not.toContain(secret)
  await world.call(bypassPushProtection, ada, {
    repo,
    placeholder: finding?.placeholder ?? '',
    reason: 'used_in_tests',
  })
  expect((await save()).sha).not.toBe(main)
})

test('people who cannot bypass are offered none', async () => {
  const { world, ada, bob, repo, main, commit } = await makeSecretsWorld()
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'read' })
  const { pull } = await world.call(createPull, bob, { repo, title: 'Mine' })
  const fork = `${repo}/pull/${pull.number}`
  const row = repoByPath(world.hearth.db, fork)
  const bad = await commit(main, { a: madeUpToken() }, row?.store)
  const updates = [{ name: 'refs/heads/main', old: null, new: bad }]
  const refused = (await world.call(push, bob, { repo: fork, updates })).results[0]
  expect(refused?.refused).toContain('a:1 holds a GitHub token')
  expect(refused?.lines.join('\n')).not.toContain('bypass')
})
