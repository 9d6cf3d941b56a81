import { expect, test } from 'bun:test'
import { getCommitStatus } from '#features/statuses/get-commit-status.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { REPO, makePullWorld } from '../pulls/fixture.ts'
import { refusal, withToken } from '../../world.ts'

test('the latest of each context counts, and is told of', async () => {
  const { world, mel, otto, ref, row } = await makePullWorld()
  const sha = ref('main') ?? ''
  const set = (input: object, as = mel) =>
    world.call(setCommitStatus, as, { repo: REPO, sha, state: 'pending', context: 'ci', ...input })
  const first = await set({
    description: '  Building\nthe thing ',
    target_url: 'https://ci.example.com/1',
  })
  expect(first).toMatchObject({
    sha,
    state: 'pending',
    context: 'ci',
    description: 'Building the thing',
    target_url: 'https://ci.example.com/1',
    creator: { username: 'mel' },
  })
  expect(first.id).toStartWith('sts_')
  await set({ context: 'lint', state: 'success', sha: sha.slice(0, 8).toUpperCase() })
  const combined = () => world.call(getCommitStatus, otto, { repo: REPO, ref: 'main' })
  expect(await combined()).toMatchObject({
    sha,
    state: 'pending',
    total: 2,
    statuses: [
      { context: 'ci', state: 'pending' },
      { context: 'lint', state: 'success' },
    ],
  })
  await set({ state: 'error' })
  expect((await combined()).state).toBe('failure')
  await set({ state: 'success' })
  expect(await combined()).toMatchObject({
    state: 'success',
    total: 2,
    statuses: [{ context: 'ci', description: null }, {}],
  })
  expect(
    world
      .events('commit.status')
      .map(({ data, repo_id }) => [data.context, data.state, data.sha, repo_id]),
  ).toEqual(
    [
      ['ci', 'pending'],
      ['lint', 'success'],
      ['ci', 'error'],
      ['ci', 'success'],
    ].map((said) => [...said, sha, row().id]),
  )

  for (const [input, field] of [
    [{ context: ' \u200b ' }, 'context'],
    [{ target_url: 'javascript:alert(1)' }, 'target_url'],
    [{ target_url: 'https://' }, 'target_url'],
    [{ sha: 'xyz' }, 'sha'],
    [{ state: 'fine' }, 'state'],
  ] as const) {
    expect((await refusal(set(input))).field).toBe(field)
  }
  expect((await refusal(set({ sha: '0'.repeat(40) }))).code).toBe('not_found')
  expect((await refusal(set({}, otto))).reason).toBe('role')
  expect((await refusal(set({}, withToken(mel, { scopes: ['code:read'] })))).details.scope).toBe(
    'code:write',
  )
})

test('the head of a pull request has its own, said to the repository and never to the fork', async () => {
  const { world, mel, otto, ready, pull, fork } = await makePullWorld()
  const number = await ready(otto)
  const sha = pull(number).head_sha ?? ''
  expect(
    (
      await refusal(
        world.call(setCommitStatus, otto, {
          repo: fork(number),
          sha,
          state: 'success',
          context: 'ci',
        }),
      )
    ).code,
  ).toBe('not_found')
  const statusesState = async () =>
    (await world.call(getPull, otto, { repo: REPO, number })).pull.statuses_state
  expect(await statusesState()).toBe('none')
  await world.call(setCommitStatus, mel, { repo: REPO, sha, state: 'failure', context: 'ci' })
  expect(await statusesState()).toBe('failure')
  expect((await world.call(getCommitStatus, otto, { repo: fork(number), ref: 'main' })).state).toBe(
    'failure',
  )
  await world.commit(fork(number), 'main', { 'later.txt': 'x' }, { as: otto })
  expect(await statusesState()).toBe('none')
})
