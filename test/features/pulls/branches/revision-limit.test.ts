import { describe, expect, test } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { convertPullToDraft } from '#features/pulls/lifecycle/convert-pull-to-draft.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { makeRuleWorld } from '../../rulesets/fixture.ts'
import { REPO } from '../fixture.ts'

async function makeRevisions(max_revisions: number) {
  const forge = await makeRuleWorld()
  const { world, ada, mel, configure, ready, loose, pushes, fork, pull } = forge
  await configure({ max_revisions })
  const bot = await forge.agent(mel)
  const number = await ready(bot)
  let count = 0
  return {
    ...forge,
    bot,
    number,
    /** Pushes one more commit; null when it was accepted. */
    revise: async (by: SignedIn = bot): Promise<string | null> => {
      const commit = await loose(pull(number).head_sha, { 'b.txt': `try ${++count}\n` })
      return (await pushes(by, [['refs/heads/main', commit]], fork(number)))[0]?.refused ?? null
    },
    request: () =>
      world.call(reviewPull, ada, { repo: REPO, number, verdict: 'request_changes', body: 'No.' }),
    fail: () =>
      world.call(setCommitStatus, ada, {
        repo: REPO,
        sha: pull(number).head_sha ?? '',
        context: 'build',
        state: 'failure',
      }),
  }
}

describe('agents', () => {
  test('push again after failures as often as max_revisions says, then a person must speak', async () => {
    const { world, mel, number, pull, request, fail, revise } = await makeRevisions(2)
    await request()
    expect(await revise()).toBeNull()
    await fail()
    expect(await revise()).toBeNull()
    await request()
    const head = pull(number).head_sha
    const refused = await revise()
    expect(refused).toContain(`revised #${number} 2 times`)
    expect(refused).toContain('max_revisions')
    expect(pull(number).head_sha).toBe(head)

    await world.call(addComment, mel, { repo: REPO, number, body: 'Try it with a file.' })
    expect(await revise()).toBeNull()
    await fail()
    expect(await revise()).toBeNull()
    await fail()
    expect(await revise()).toContain('max_revisions')
  })

  test('push as often as they like while nothing failed, and to drafts', async () => {
    const { world, bot, number, pull, request, revise } = await makeRevisions(1)
    for (let at = 0; at < 3; at++) expect(await revise()).toBeNull()
    await request()
    // Only the push that replaces the reviewed head counts.
    for (let at = 0; at < 3; at++) expect(await revise()).toBeNull()
    expect(pull(number).agent_revisions).toBe(1)
    await request()
    expect(await revise()).toContain('max_revisions')
    await world.call(convertPullToDraft, bot, { repo: REPO, number })
    expect(await revise()).toBeNull()
  })

  test('do not revise at all with 0, and cannot speak for a person', async () => {
    const { world, bot, number, fail, revise } = await makeRevisions(0)
    await fail()
    expect(await revise()).toContain('may not revise')
    await world.call(addComment, bot, { repo: REPO, number, body: 'May I?' })
    expect(await revise()).toContain('may not revise')
  })
})

test('people are not limited, and their push begins the count anew', async () => {
  const { mel, request, revise } = await makeRevisions(1)
  await request()
  expect(await revise()).toBeNull()
  await request()
  expect(await revise()).toContain('max_revisions')
  expect(await revise(mel)).toBeNull()
  await request()
  expect(await revise(mel)).toBeNull()
  await request()
  expect(await revise()).toBeNull()
  await request()
  expect(await revise()).toContain('max_revisions')
})
