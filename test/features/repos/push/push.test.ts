import { describe, expect, test } from 'bun:test'
import { anonymous, type Caller, type SignedIn } from '#core/caller.ts'
import { fetchRepo } from '#features/repos/refs/fetch-repo.ts'
import { createFork, readRef, refsOf, repoByPath, allocateNumber } from '#features/repos/index.ts'
import type { Reaction } from '#core/events.ts'
import { Refusal } from '#lib/errors.ts'
import { push } from '#features/repos/push/push.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { agentOf, makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
const bob = await world.user('bob')
const eve = await world.user('eve')
await world.workspace('acme', { owner: ada, members: [bob] })

const rowOf = (path: string) => {
  const row = repoByPath(hearth.db, path)
  if (!row) throw new Error(`no repository ${path}`)
  return row
}

/** A commit whose objects are there and which no ref names. */
async function loose(path: string, parent: string | null, text: string): Promise<string> {
  const author = {
    name: 'Ada',
    email: 'ada@example.com',
    time: Math.floor(world.clock.now() / 1000),
    zone: '+0000',
  }
  const changes = [
    { action: 'put' as const, path: 'file.txt', data: new TextEncoder().encode(text) },
  ]
  return (
    await hearth.git.commitFiles(rowOf(path).store, {
      parent,
      changes,
      message: text,
      author,
      committer: author,
    })
  ).commit
}

const pushes = async (
  caller: Caller,
  repo: string,
  updates: [string, string | null, string | null][],
  atomic = false,
) => {
  const { results } = await world.call(push, caller, {
    repo,
    updates: updates.map(([name, old, to]) => ({ name, old, new: to })),
    atomic,
  })
  return results.map(({ refused }) => refused)
}

describe('the first push', () => {
  test('makes the only branch the default one when there is no main', async () => {
    await world.repo('acme/first')
    const commit = await loose('acme/first', null, 'one')
    expect(await pushes(bob, 'acme/first', [['refs/heads/trunk', null, commit]])).toEqual([null])
    expect(rowOf('acme/first')).toMatchObject({ default_branch: 'trunk' })
    expect(rowOf('acme/first').pushed_at).not.toBeNull()
    expect(world.events('git.push').at(-1)?.data).toEqual({
      ref: 'refs/heads/trunk',
      before: null,
      after: commit,
      commits: 1,
      forced: false,
      created: true,
      deleted: false,
      default_branch: 'trunk',
      signature: null,
    })
  })

  test('takes master among several, and keeps main when it is there', async () => {
    await world.repo('acme/several')
    const a = await loose('acme/several', null, 'a')
    await pushes(bob, 'acme/several', [
      ['refs/heads/x', null, a],
      ['refs/heads/master', null, a],
    ])
    expect(rowOf('acme/several').default_branch).toBe('master')
    await world.repo('acme/main')
    await pushes(bob, 'acme/main', [
      ['refs/heads/x', null, await loose('acme/main', null, 'a')],
      ['refs/heads/main', null, await loose('acme/main', null, 'b')],
    ])
    expect(rowOf('acme/main').default_branch).toBe('main')
  })
})

describe('rules', async () => {
  await world.repo('acme/site')
  const one = await world.commit('acme/site', 'main', { 'a.txt': 'a' })
  const two = await loose('acme/site', one, 'two')
  const other = await loose('acme/site', null, 'unrelated')
  const branch = 'refs/heads/topic'

  test('the protected branch is refused with one line, and the others go through', async () => {
    const before = world.events('git.push').length
    const [main, topic] = await pushes(bob, 'acme/site', [
      ['refs/heads/main', one, two],
      [branch, null, two],
    ])
    expect(main).toContain('protected')
    expect(topic).toBeNull()
    expect(readRef(hearth.db, rowOf('acme/site').id, 'refs/heads/main')).toBe(one)
    expect(world.events('git.push').length).toBe(before + 1)
    expect(world.events('git.push').at(-1)?.data).toMatchObject({
      ref: branch,
      commits: 1,
      created: true,
    })
  })

  test('an atomic push is all or nothing', async () => {
    const before = world.events().length
    const results = await pushes(
      bob,
      'acme/site',
      [
        ['refs/heads/main', one, two],
        ['refs/heads/also', null, two],
      ],
      true,
    )
    expect(results[0]).toContain('protected')
    expect(results[1]).toContain('atomic')
    expect(readRef(hearth.db, rowOf('acme/site').id, 'refs/heads/also')).toBeNull()
    expect(world.events().length).toBe(before)
  })

  test('admins push to it unless that is switched off; others never do', async () => {
    const set = (admins_may_push: boolean) =>
      world.call(updateRepoSettings, ada, { repo: 'acme/site', admins_may_push })
    const toMain = async (by: SignedIn, from: string, to: string) =>
      (await pushes(by, 'acme/site', [['refs/heads/main', from, to]]))[0]
    await set(false)
    expect(await toMain(ada, one, two)).toBe(
      'main is protected. Push a branch and open a pull request, or turn on "Admins may push to the protected branch" in the settings of the repository',
    )
    await set(true)
    expect(await toMain(bob, one, two)).toBe(
      'main is protected. Push a branch and open a pull request, or ask an administrator',
    )
    const agent = agentOf(ada, rowOf('acme/site'), { id: 'agt_1' })
    expect(await toMain(agent, one, two)).toContain('protected')
    expect(await toMain(ada, one, two)).toBeNull()
    expect(await toMain(ada, two, other)).toContain('Force pushes are refused')
    expect(await toMain(ada, two, one)).toContain('Force pushes are refused')
  })

  test('the default branch is never deleted', async () => {
    await world.call(updateRepo, ada, { repo: 'acme/site', protected: false })
    expect((await pushes(ada, 'acme/site', [['refs/heads/main', two, null]]))[0]).toContain(
      'default branch',
    )
    await world.call(updateRepo, ada, { repo: 'acme/site', protected: true })
  })

  test('a force push says so', async () => {
    expect(await pushes(bob, 'acme/site', [[branch, two, other]])).toEqual([null])
    expect(world.events('git.push').at(-1)?.data).toMatchObject({
      forced: true,
      before: two,
      after: other,
    })
  })

  test('a ref that moved meanwhile is refused', async () => {
    const [refused] = await pushes(bob, 'acme/site', [[branch, two, one]])
    expect(refused).toContain('moved')
    expect(readRef(hearth.db, rowOf('acme/site').id, branch)).toBe(other)
  })

  test('other namespaces can be pushed, except those of the forge', async () => {
    for (const name of ['refs/notes/commits', 'refs/stash', 'refs/changes/01/1/1']) {
      expect([name, ...(await pushes(bob, 'acme/site', [[name, null, two]]))]).toEqual([name, null])
      expect(await pushes(bob, 'acme/site', [[name, two, null]])).toEqual([null])
    }
    for (const name of ['refs/pull/1/head', 'refs/pull', 'refs/remote/x/main', 'refs/takeover/x'])
      expect((await pushes(bob, 'acme/site', [[name, null, two]]))[0]).toContain('the forge')
  })

  test('names: as git allows them', async () => {
    const names = [
      'refs/notes/a..b',
      'refs/heads/a..b',
      'refs/heads/.a',
      'refs/heads/a.lock',
      'refs/heads/a b',
      'refs/heads/HEAD',
      'refs/heads/-x',
      `refs/heads/${'a'.repeat(40)}`,
      'HEAD',
      'refs/heads/',
    ]
    for (const name of names)
      expect((await pushes(bob, 'acme/site', [[name, null, two]]))[0]).toBeString()
    expect(await pushes(bob, 'acme/site', [['refs/heads/ünï/✓', null, two]])).toEqual([null])
    expect(await pushes(bob, 'acme/site', [['refs/heads/ünï/✓', two, null]])).toEqual([null])
  })

  test('a name is a ref or a directory of refs', async () => {
    expect((await pushes(bob, 'acme/site', [[`${branch}/deeper`, null, two]]))[0]).toContain(branch)
    expect(await pushes(bob, 'acme/site', [['refs/heads/d/e', null, two]])).toEqual([null])
    expect((await pushes(bob, 'acme/site', [['refs/heads/d', null, two]]))[0]).toContain(
      'refs/heads/d/e',
    )
    expect(
      await pushes(bob, 'acme/site', [
        ['refs/heads/d', null, two],
        ['refs/heads/d/e', two, null],
      ]),
    ).toEqual([null, null])
  })

  test('tags: made by write, deleted by maintain, peeled when annotated', async () => {
    const tagger = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
    const { store, id } = rowOf('acme/site')
    const tag = await hearth.git.createTag(store, {
      object: two,
      name: 'v1',
      message: 'One\n',
      tagger,
    })
    expect(
      await pushes(bob, 'acme/site', [
        ['refs/tags/v1', null, tag],
        ['refs/tags/light', null, two],
      ]),
    ).toEqual([null, null])
    expect(refsOf(hearth, id).refs.find(({ name }) => name === 'refs/tags/v1')).toEqual({
      name: 'refs/tags/v1',
      oid: tag,
      peeled: two,
    })
    expect((await pushes(bob, 'acme/site', [['refs/tags/v1', tag, null]]))[0]).toContain('maintain')
    expect(await pushes(ada, 'acme/site', [['refs/tags/v1', tag, null]])).toEqual([null])
    expect((await pushes(bob, 'acme/site', [['refs/heads/totag', null, tag]]))[0]).toContain(
      'not a commit',
    )
  })

  test('a reaction refuses the whole push, and nothing of it stays, in memory either', async () => {
    const { id } = rowOf('acme/site')
    const before = { refs: refsOf(hearth, id), events: world.events().length }
    const usual = hearth.reactionsTo
    let seen: string[] = []
    const veto: Reaction = {
      on: 'git.push',
      name: 'veto',
      run: (tx) => {
        seen = refsOf(tx.hearth, id).refs.map(({ name }) => name)
        throw new Refusal('conflict', 'rule "no vetoes": not today', { reason: 'rule' })
      },
    }
    Object.assign(hearth, { reactionsTo: () => [veto] })
    try {
      const results = await pushes(bob, 'acme/site', [
        ['refs/heads/v/1', null, two],
        ['refs/heads/v/2', null, two],
      ])
      expect(results).toEqual(['rule "no vetoes": not today', 'rule "no vetoes": not today'])
    } finally {
      Object.assign(hearth, { reactionsTo: usual })
    }
    expect(seen).toContain('refs/heads/v/1')
    expect(refsOf(hearth, id)).toEqual(before.refs)
    expect(world.events().length).toBe(before.events)
  })

  test('what is kept in memory follows every change', async () => {
    const { id } = rowOf('acme/site')
    const before = refsOf(hearth, id)
    expect(refsOf(hearth, id)).toBe(before)
    await pushes(bob, 'acme/site', [['refs/heads/fresh', null, two]])
    const after = refsOf(hearth, id)
    expect(after.generation).not.toBe(before.generation)
    expect(after.refs.map(({ name }) => name)).toContain('refs/heads/fresh')
    const names = after.refs.map(({ name }) => name)
    expect(names).toEqual([...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  })

  test('outsiders push nothing', async () => {
    expect((await refusal(pushes(anonymous, 'acme/site', []))).status).toBe(401)
    expect((await refusal(pushes(eve, 'acme/site', [[branch, other, two]]))).status).toBe(403)
  })

  test('an archived repository takes nothing', async () => {
    await world.write((tx) =>
      tx.db.run('UPDATE repos SET archived_at = ? WHERE id = ?', tx.now, rowOf('acme/site').id),
    )
    expect(await refusal(pushes(ada, 'acme/site', [[branch, other, two]]))).toMatchObject({
      status: 403,
      reason: 'archived',
    })
    await world.write((tx) =>
      tx.db.run('UPDATE repos SET archived_at = NULL WHERE id = ?', rowOf('acme/site').id),
    )
  })
})

describe('a push of hundreds of refs', () => {
  const many = (commit: string, count = 450): [string, null, string][] =>
    Array.from({ length: count }, (_, n) => [`refs/heads/many-${n}`, null, commit])

  test('moves them in several transactions, with a generation for each', async () => {
    await world.repo('acme/many')
    const commit = await loose('acme/many', null, 'one')
    const generations = new Set<string>()
    const stop = hearth.subscribe(() => generations.add(rowOf('acme/many').refs_generation))
    expect(
      new Set(
        await pushes(bob, 'acme/many', [
          ['refs/tags/v1', null, commit],
          ...many(commit),
          ['refs/heads/main', null, commit],
        ]),
      ),
    ).toEqual(new Set([null]))
    stop()
    expect(generations.size).toBe(3)
    expect(refsOf(hearth, rowOf('acme/many').id).refs).toHaveLength(452)
    // Although others come before it in the push.
    expect(rowOf('acme/many').default_branch).toBe('main')
  })

  test('replaces a branch by branches below its name', async () => {
    const oid = readRef(hearth.db, rowOf('acme/many').id, 'refs/heads/main') ?? ''
    const below = Array.from({ length: 450 }, (_, n): [string, null, string] => [
      `refs/heads/many-7/${n}`,
      null,
      oid,
    ])
    const refused = await pushes(bob, 'acme/many', [...below, ['refs/heads/many-7', oid, null]])
    expect(new Set(refused)).toEqual(new Set([null]))
  })

  test('is one transaction when it is atomic', async () => {
    await world.repo('acme/atomic')
    const commit = await loose('acme/atomic', null, 'one')
    const generations = new Set<string>()
    const stop = hearth.subscribe(() => generations.add(rowOf('acme/atomic').refs_generation))
    await pushes(bob, 'acme/atomic', many(commit), true)
    stop()
    expect(generations.size).toBe(1)
  })
})

describe('forks', async () => {
  await world.repo('acme/parent')
  const base = await world.commit('acme/parent', 'main', { 'a.txt': 'a' })
  const parent = rowOf('acme/parent')
  const fork = await world.write((tx) => {
    const pull_number = allocateNumber(tx, parent.id)
    return createFork(tx, parent, {
      pull_number,
      author_id: eve.id,
      head: { ref: 'refs/heads/main', oid: base },
    })
  })
  const path = `acme/parent/pull/${fork.pull_number}`

  test('the author pushes to any branch of it, nobody else does', async () => {
    const next = await loose(path, base, 'next')
    expect(
      await pushes(eve, path, [
        ['refs/heads/main', base, next],
        ['refs/heads/more', null, next],
      ]),
    ).toEqual([null, null])
    expect(
      await pushes(agentOf(eve, parent, { id: 'agt_e' }), path, [['refs/heads/agent', null, next]]),
    ).toEqual([null])
    expect((await refusal(pushes(ada, path, [['refs/heads/main', next, base]]))).status).toBe(403)
    expect(
      (
        await refusal(
          pushes(agentOf(bob, parent, { id: 'agt_b' }), path, [['refs/heads/main', next, base]]),
        )
      ).status,
    ).toBe(403)
    expect(readRef(hearth.db, parent.id, 'refs/heads/main')).toBe(base)
    expect(readRef(hearth.db, fork.id, 'refs/heads/main')).toBe(next)
    expect(readRef(hearth.db, parent.id, 'refs/heads/more')).toBeNull()
    expect(fork.store).toBe(parent.store)
  })

  test('it is as private as its parent', async () => {
    expect((await world.call(fetchRepo, anonymous, { repo: path })).full_name).toBe(path)
    await world.call(updateRepo, ada, { repo: 'acme/parent', private: true })
    expect((await refusal(world.call(fetchRepo, anonymous, { repo: path }))).status).toBe(404)
    expect((await refusal(world.call(fetchRepo, eve, { repo: path }))).status).toBe(404)
    expect((await world.call(fetchRepo, bob, { repo: path })).store).toBe(parent.store)
  })

  test('numbers are given out once, and none is lost to a write that failed', async () => {
    const first = await world.write((tx) => allocateNumber(tx, parent.id))
    const failed = await world
      .write((tx) => {
        allocateNumber(tx, parent.id)
        throw new TypeError('undone')
      })
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(TypeError)
    expect(await world.write((tx) => allocateNumber(tx, parent.id))).toBe(first + 1)
  })
})
