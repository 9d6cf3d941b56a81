import { describe, expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal, withToken } from '../../../world.ts'
import { anonymous } from '#core/caller.ts'
import { makePullWorld, REPO } from '../fixture.ts'

describe('without a branch', () => {
  test('makes a draft with a fork of its own at the tip of the base, and takes no room for it', async () => {
    const { world, otto, ref, row, count } = await makePullWorld()
    const { pull, git } = await world.call(createPull, otto, {
      repo: REPO,
      title: 'Change it',
      body: 'Because.',
    })
    expect(pull).toMatchObject({
      number: 1,
      status: 'draft',
      title: 'Change it',
      body: 'Because.',
      issue: null,
      branch: null,
      head: null,
      revision: 0,
      ready_at: null,
      base: { ref: 'main', sha: ref('main') },
      mergeable: 'unknown',
      author: { username: 'otto' },
      agent: null,
      fork: { full_name: `${REPO}/pull/1`, remote: `https://hearth.test/${REPO}/pull/1.git` },
    })
    expect(git).toEqual({ remote: `https://hearth.test/${REPO}/pull/1.git`, branch: 'main' })
    expect(ref('main', `${REPO}/pull/1`)).toBe(ref('main'))
    expect(row(`${REPO}/pull/1`).store).toBe(row().store)
    expect(world.events('pull.opened').map(({ data }) => data)).toEqual([
      { number: 1, issue: null },
    ])
    expect(world.events('repo.forked').map(({ data }) => data)).toEqual([{ pull: 1 }])
    expect(count('pull_heads')).toBe(0)
    expect((await world.call(getRepo, otto, { repo: REPO })).open_pulls_count).toBe(1)
  })

  test('takes the title of its issue, and the issue shows it', async () => {
    const { world, otto, draft, issue } = await makePullWorld()
    const of = await issue()
    const { pull } = await world.call(createPull, otto, { repo: REPO, issue: of, agent: 'helper' })
    expect(pull).toMatchObject({ number: 2, title: 'It is broken', issue: of, agent: 'helper' })
    const detail = await world.call(getIssue, otto, { repo: REPO, number: of })
    expect(detail.pulls).toMatchObject([
      { number: 2, status: 'draft', title: 'It is broken', agent: 'helper' },
    ])
    expect(detail.pulls[0]).not.toHaveProperty('merged_by')
    expect(await draft(otto, null, { issue: of })).toBe(3)
  })

  test('an agent is named after itself, and its person stands behind it', async () => {
    const { world, mel, agent } = await makePullWorld()
    const bot = await agent(mel)
    const { pull } = await world.call(createPull, bot, { repo: REPO, title: 'By an agent' })
    expect(pull.agent).toBe('bot')
    expect(pull.author).toMatchObject({ kind: 'agent', on_behalf_of: { username: 'mel' } })
  })

  test('refuses a missing title, a closed issue, a number that is no issue, and an unknown base', async () => {
    const { world, ada, otto, issue, count } = await makePullWorld()
    const of = await issue()
    await world.call(closeIssue, ada, { repo: REPO, number: of })
    const cases = [
      [{}, 'title'],
      [{ title: ' ' }, 'title'],
      [{ title: 'two\nlines' }, 'title'],
      [{ issue: of }, 'issue'],
      [{ issue: 99 }, 'issue'],
      [{ title: 'x', base: 'nothing' }, 'base'],
      [{ title: 'x', agent: 'a'.repeat(65) }, 'agent'],
    ] as const
    for (const [input, field] of cases) {
      expect(await refusal(world.call(createPull, otto, { repo: REPO, ...input }))).toMatchObject({
        status: 422,
        field,
      })
    }
    expect(count('pulls')).toBe(0)
    expect(world.events('pull.opened')).toEqual([])
  })

  test('needs a base that has a commit', async () => {
    const { world, ada } = await makePullWorld()
    await world.repo('acme/empty', { as: ada })
    expect(
      await refusal(world.call(createPull, ada, { repo: 'acme/empty', title: 'x' })),
    ).toMatchObject({ status: 422, field: 'base' })
  })

  test('a token in the description is refused', async () => {
    const { world, ada } = await makePullWorld()
    const { checksum62 } = await import('#lib/hash.ts')
    const secret = `hthu_${'a'.repeat(40)}`
    expect(
      await refusal(
        world.call(createPull, ada, { repo: REPO, title: 'x', body: secret + checksum62(secret) }),
      ),
    ).toMatchObject({ status: 403, reason: 'push_protection' })
  })
})

describe('with a branch', () => {
  test('is open at once, has no fork, and its remote is the repository', async () => {
    const { world, mel, fromBranch, pull, ref, push } = await makePullWorld()
    const number = await fromBranch(mel)
    expect(pull(number)).toMatchObject({
      status: 'open',
      branch: 'feature',
      fork_id: null,
      revision: 1,
      head_sha: ref('feature'),
    })
    await push(REPO, 'other', ref('feature'))
    const { pull: second, git } = await world.call(createPull, mel, {
      repo: REPO,
      title: 'x',
      branch: 'other',
    })
    expect(second).toMatchObject({
      fork: null,
      mergeable: 'yes',
      commits_count: 1,
      changed_files: 1,
      additions: 1,
      deletions: 1,
      blockers: [],
    })
    expect(git).toEqual({ remote: `https://hearth.test/${REPO}.git`, branch: 'other' })
    expect(world.events('repo.forked')).toEqual([])
  })

  test('refuses a branch that is missing, that is the base, that has nothing new, or that has one already', async () => {
    const { world, mel, fromBranch, push, ref, count } = await makePullWorld()
    const number = await fromBranch(mel)
    await push(REPO, 'same', ref('main'))
    for (const branch of ['nothing', 'main', 'same']) {
      expect(
        await refusal(world.call(createPull, mel, { repo: REPO, title: 'x', branch })),
      ).toMatchObject({ status: 422, field: 'branch' })
    }
    const twice = await refusal(
      world.call(createPull, mel, { repo: REPO, title: 'x', branch: 'feature' }),
    )
    expect(twice).toMatchObject({ status: 409, reason: 'already_exists', details: { number } })
    expect(count('pulls')).toBe(1)
  })

  test('two at once for one branch: one is made', async () => {
    const { world, mel, push, ref, count } = await makePullWorld()
    await push(REPO, 'feature', ref('main'))
    await world.commit(REPO, 'feature', { 'b.txt': 'x\n' })
    const both = await Promise.allSettled(
      [1, 2].map(() => world.call(createPull, mel, { repo: REPO, title: 'x', branch: 'feature' })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(count('pulls')).toBe(1)
  })

  test('needs write', async () => {
    const { world, otto, push, ref } = await makePullWorld()
    await push(REPO, 'feature', ref('main'))
    await world.commit(REPO, 'feature', { 'b.txt': 'x\n' })
    expect(
      await refusal(world.call(createPull, otto, { repo: REPO, title: 'x', branch: 'feature' })),
    ).toMatchObject({ status: 403, reason: 'role' })
  })
})

test('who may open one is decided by the repository, and never refused to those with write', async () => {
  const { world, otto, mel, agent, configure, count } = await makePullWorld()
  const bot = await agent(otto)
  const open = (caller: Parameters<typeof world.call>[1]) =>
    world.call(createPull, caller, { repo: REPO, title: 'x' })
  expect(await refusal(open(anonymous))).toMatchObject({ status: 401 })
  expect(await refusal(open(withToken(otto, { scopes: ['pulls:read'] })))).toMatchObject({
    status: 403,
    reason: 'scope',
  })
  expect(await refusal(open(await world.user('nia', { verified: false })))).toMatchObject({
    status: 403,
    reason: 'email_unconfirmed',
  })
  await configure({ contributions: 'members' })
  expect(await refusal(open(otto))).toMatchObject({ status: 403, reason: 'contributions_closed' })
  await configure({ contributions: 'nobody' })
  expect(await refusal(open(otto))).toMatchObject({ status: 403, reason: 'contributions_closed' })
  expect((await open(mel)).pull.status).toBe('draft')
  await configure({ contributions: 'anyone', agents_from_outside: false })
  expect(await refusal(open(bot))).toMatchObject({ status: 403, reason: 'contributions_closed' })
  await configure({ agents_from_outside: true, max_open_pulls_per_author: 1 })
  await open(bot)
  expect(await refusal(open(otto))).toMatchObject({ status: 409, reason: 'limit_reached' })
  await open(mel)
  expect(count('pulls')).toBe(3)
})

test('a fork has no pull requests of its own', async () => {
  const { world, otto, draft, fork } = await makePullWorld()
  await draft(otto, null)
  expect(await refusal(world.call(createPull, otto, { repo: fork(1), title: 'x' }))).toMatchObject({
    status: 404,
  })
})
