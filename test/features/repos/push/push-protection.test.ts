import { describe, expect, test } from 'bun:test'
import type { UserCaller } from '#core/caller.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { push } from '#features/repos/push/push.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { listSecretLocations } from '#features/security/secrets/list-secret-locations.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { checksum62, randomBase62 } from '#lib/hash.ts'
import { sentMails } from '../../accounts/mailbox.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
let made = 0

/** A repository with a first commit on main. */
async function repo(settings: Record<string, boolean> = {}) {
  const path = `acme/r${++made}`
  await world.repo(path, { as: ada, private: true })
  await world.commit(path, 'main', { 'README.md': 'Hello\n' })
  if (Object.keys(settings).length > 0)
    await world.call(updateRepoSettings, ada, { repo: path, ...settings })
  const row = () => {
    const found = repoByPath(hearth.db, path)
    if (!found) throw new Error(`no repository ${path}`)
    return found
  }
  const author = {
    name: 'Ada',
    email: 'ada@example.com',
    time: Math.floor(world.clock.now() / 1000),
    zone: '+0000',
  }
  const commit = async (parent: string | null, files: Record<string, string>) =>
    (
      await hearth.git.commitFiles(row().store, {
        parent,
        changes: Object.entries(files).map(([file, text]) => ({
          action: 'put' as const,
          path: file,
          data: new TextEncoder().encode(text),
        })),
        message: 'x',
        author,
        committer: author,
      })
    ).commit
  const tip = (branch: string) => readRef(hearth.db, row().id, `refs/heads/${branch}`)
  const pushTo = async (branch: string, to: string, as: UserCaller = ada) =>
    (
      await world.call(push, as, {
        repo: path,
        updates: [{ name: `refs/heads/${branch}`, old: tip(branch), new: to }],
      })
    ).results.map(({ refused }) => refused)
  return { path, commit, tip, pushTo, main: tip('main') ?? '' }
}

const token = async () =>
  (await world.call(createToken, ada, { name: 'laptop', scopes: ['repo:read'] })).secret ?? ''
const revocations = async () =>
  (await sentMails(world)).filter(({ subject }) => subject.startsWith('A token was revoked'))
const works = (secret: string) => hearth.callers.byToken(secret) !== null
const invented = () => {
  const start = `hthu_${randomBase62(40)}`
  return start + checksum62(start)
}

describe('with the protection on', () => {
  test('a push that adds a secret of another service is refused; an example is not', async () => {
    const { commit, pushTo, tip, main } = await repo()
    const secret = `ghp_${randomBase62(36)}`
    const bad = await commit(main, { 'ci.yml': `env:\n  TOKEN: ${secret}\n` })
    const [refused] = await pushTo('work', bad)
    expect(refused).toStartWith('ci.yml:2 holds a GitHub token')
    expect(refused).toContain('push_protection')
    expect(refused).not.toContain(secret)
    expect(tip('work')).toBeNull()
    const good = await commit(main, { 'README.md': 'AKIAIOSFODNN7EXAMPLE\n' })
    expect(await pushTo('work', good)).toEqual([null])
    const off = await repo({ push_protection: false })
    expect(await off.pushTo('work', await off.commit(off.main, { a: secret }))).toEqual([null])
  })

  test('a push that adds a token is refused before any ref moves, naming where it is and never what', async () => {
    const { commit, pushTo, tip, main } = await repo()
    const secret = await token()
    const bad = await commit(main, { 'deploy/config.env': `# settings\nA=1\nTOKEN=${secret}\n` })
    const [refused] = await pushTo('work', bad)
    expect(refused).toStartWith('deploy/config.env:3 holds an access token')
    expect(refused).not.toContain(secret)
    expect(refused).not.toContain('\n')
    expect(tip('work')).toBeNull()
    expect(works(secret)).toBe(true)
    expect(await revocations()).toEqual([])
  })

  test('one that a later commit takes out again is in the history all the same', async () => {
    const { commit, pushTo, tip, main } = await repo()
    const bad = await commit(main, { 'a.txt': `${await token()}\n` })
    const [refused] = await pushTo('work', await commit(bad, { 'a.txt': 'clean\n' }))
    expect(refused).toContain(`a.txt:1 holds an access token (commit ${bad.slice(0, 7)})`)
    expect(tip('work')).toBeNull()
  })

  test('look-alikes pass, and so does what was there before', async () => {
    const { path, commit, pushTo, main } = await repo({ push_protection: false })
    const secret = invented()
    const old = await commit(main, { 'a.txt': `${secret}\n` })
    expect(await pushTo('old', old)).toEqual([null])
    await world.call(updateRepoSettings, ada, { repo: path, push_protection: true })
    expect(
      await pushTo('old', await commit(old, { 'a.txt': `${secret}\nmore\n`, 'b.txt': 'b' })),
    ).toEqual([null])
    const fake = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`
    expect(await pushTo('fake', await commit(main, { 'c.txt': `${fake}\nhthu_short\n` }))).toEqual([
      null,
    ])
  })

  test('a token of another forge is refused too: its form is what is known', async () => {
    const { commit, pushTo, main } = await repo()
    expect((await pushTo('work', await commit(main, { 'x.txt': invented() })))[0]).toContain(
      'x.txt:1',
    )
  })

  test('large and binary files, first commits, and files in their first place', async () => {
    const { commit, pushTo, main } = await repo()
    const secret = invented()
    expect(
      (
        await pushTo(
          'large',
          await commit(main, { 'big.txt': `${'line\n'.repeat(40_000)}${secret}\n` }),
        )
      )[0],
    ).toContain('big.txt:40001')
    expect(
      (await pushTo('binary', await commit(main, { 'blob.bin': `\0\0\0${secret}` })))[0],
    ).toContain('blob.bin:1')
    expect(
      (await pushTo('first', await commit(null, { 'root.txt': `a\n${secret}\n` })))[0],
    ).toContain('root.txt:2')
  })

  test('a merge is held to what it adds itself, and each ref to its own commits', async () => {
    const { path, commit, pushTo, main } = await repo({ push_protection: false })
    const leaked = await commit(main, { 'old.txt': invented() })
    expect(await pushTo('leaked', leaked)).toEqual([null])
    const work = await commit(main, { 'work.txt': 'work' })
    expect(await pushTo('work', work)).toEqual([null])
    await world.call(updateRepoSettings, ada, { repo: path, push_protection: true })
    const signature = {
      name: 'Ada',
      email: 'ada@example.com',
      time: Math.floor(world.clock.now() / 1000),
      zone: '+0000',
    }
    const store = repoByPath(hearth.db, path)?.store ?? ''
    const merged = await hearth.git.merge(store, {
      method: 'merge',
      base: leaked,
      head: work,
      message: 'Merge',
      author: signature,
      committer: signature,
    })
    if ('conflicts' in merged) throw new Error('conflicts')
    expect(await pushTo('leaked', merged.commit)).toEqual([null])
    const { results } = await world.call(push, ada, {
      repo: path,
      updates: [
        { name: 'refs/heads/bad', old: null, new: await commit(work, { 'key.txt': invented() }) },
        { name: 'refs/heads/fine', old: null, new: await commit(work, { 'fine.txt': 'fine' }) },
      ],
    })
    expect(results.map(({ refused }) => refused?.split(' ')[0] ?? null)).toEqual([
      'key.txt:1',
      null,
    ])
  })

  test('of many refs those are refused whose history holds it, whatever order they come in', async () => {
    const { path, commit, main, tip } = await repo()
    const leaked = await commit(main, { 'key.txt': invented() })
    const above = await commit(leaked, { 'key.txt': 'taken out' })
    const clean = await commit(main, { 'fine.txt': 'fine' })
    const tips = Array.from({ length: 40 }, (_, at) => [clean, above, main, leaked][at % 4] ?? main)
    const updates = tips.map((to, at) => ({
      name: `refs/${at % 3 === 0 ? 'tags' : 'heads'}/r${at}`,
      old: null,
      new: to,
    }))
    const { results } = await world.call(push, ada, { repo: path, updates })
    expect(results.map(({ refused }) => refused !== null)).toEqual(
      tips.map((to) => to === leaked || to === above),
    )
    expect(
      results
        .filter(({ refused }) => refused !== null)
        .every(({ refused }) => refused?.startsWith('key.txt:1 holds an access token')),
    ).toBe(true)
    expect([tip('r4'), tip('r1')]).toEqual([clean, null])
  })

  test('a commit through the API is held to the same', async () => {
    const { path, tip, main } = await repo()
    const secret = await token()
    const error = await refusal(
      world.call(createCommit, ada, {
        repo: path,
        branch: 'main',
        new_branch: 'api',
        message: 'x',
        files: [{ path: 'k.txt', action: 'put', content: `x\n${secret}` }],
      }),
    )
    expect(error).toMatchObject({ status: 403, reason: 'push_protection' })
    expect(error.message).toContain('k.txt:2')
    expect(error.message).not.toContain(secret)
    expect([tip('api'), tip('main'), works(secret)]).toEqual([null, main, true])
  })
})

test('moving the protected branch past its protection is written down, with where the push came from', async () => {
  const { path, commit, main } = await repo({ admins_may_push: true })
  const next = await commit(main, { 'a.txt': 'a' })
  const origin = { request_id: 'push-12345678', ip: '203.0.113.9', user_agent: 'git/2' }
  await world.call(
    push,
    ada,
    {
      repo: path,
      updates: [
        { name: 'refs/heads/main', old: main, new: next },
        { name: 'refs/heads/other', old: null, new: next },
      ],
    },
    { origin },
  )
  const rows = hearth.db.all<{ actor_id: string; ip: string; request_id: string; data: string }>(
    `SELECT * FROM audit_log WHERE action = 'repo.protection_bypassed'`,
  )
  expect(rows).toMatchObject([{ actor_id: ada.id, ip: origin.ip, request_id: origin.request_id }])
  expect(JSON.parse(rows[0]?.data ?? '')).toEqual({
    before: { 'refs/heads/main': main },
    after: { 'refs/heads/main': next },
  })
})

describe('with it off', () => {
  test('the push goes through, and the token is revoked, with a letter and two entries in the log', async () => {
    const { path, commit, pushTo, tip, main } = await repo({ push_protection: false })
    const secret = await token()
    const other = await token()
    const bad = await commit(main, { 'a/b.txt': `one\n${secret}\n` })
    expect(await pushTo('work', bad)).toEqual([null])
    expect([tip('work'), works(secret)]).toEqual([bad, true])
    const mail = await revocations()
    expect([works(secret), works(other)]).toEqual([false, true])
    expect(mail).toHaveLength(1)
    expect(mail[0]).toMatchObject({ to: 'ada@example.com' })
    expect(mail[0]?.text).toContain(`${path}, a/b.txt:2`)
    expect(mail[0]?.text).not.toContain(secret)
    const log = hearth.db.all<{ action: string; actor_id: string | null; data: string }>(
      `SELECT action, actor_id, data FROM audit_log ORDER BY id DESC LIMIT 2`,
    )
    expect(log.map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['repo.token_found', null],
      ['token.revoked', null],
    ])
    expect(JSON.parse(log[0]?.data ?? '')).toMatchObject({ path: 'a/b.txt', line: 2, commit: bad })
    expect(JSON.stringify(log)).not.toContain(secret)
  })

  test('secrets of other services become alerts, without their text', async () => {
    const { path, commit, pushTo, main } = await repo({ push_protection: false })
    const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1cD3'.slice(0, 36)}`
    const example = `ghp_${'x'.repeat(36)}`
    const bad = await commit(main, { 'a/b.txt': `one\n${secret}\n${example}\n` })
    expect(await pushTo('work', bad)).toEqual([null])
    await world.jobs()
    const { items } = await world.call(listSecretAlerts, ada, { repo: path })
    expect(items).toMatchObject([{ type: 'github-token', state: 'open', locations_count: 1 }])
    const locations = await world.call(listSecretLocations, ada, {
      repo: path,
      id: items[0]?.id ?? '',
    })
    expect(locations.items).toMatchObject([
      { path: 'a/b.txt', line: 2, commit: bad, source: 'push' },
    ])
    expect(JSON.stringify([items, locations])).not.toContain(secret)
  })

  test('nothing is looked at when searching is off as well', async () => {
    const { commit, pushTo, main } = await repo({ push_protection: false, secret_scanning: false })
    const secret = await token()
    expect(await pushTo('work', await commit(main, { 'a.txt': secret }))).toEqual([null])
    await world.jobs()
    expect(works(secret)).toBe(true)
  })
})
