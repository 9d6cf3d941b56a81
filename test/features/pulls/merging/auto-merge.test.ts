import { describe, expect, test } from 'bun:test'
import { endTokensOf } from '#features/accounts/index.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { resolveComment } from '#features/issues/comments/resolve-comment.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { deleteRuleset } from '#features/rulesets/delete-ruleset.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal, withToken } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

type World = Awaited<ReturnType<typeof makePullWorld>>

const want = ({ world }: World, caller: World['mel'], number: number) =>
  world.call(updatePull, caller, { repo: REPO, number, auto_merge: true })

describe('it merges once nothing stands in the way', () => {
  test('at once, as who asked', async () => {
    const made = await makePullWorld()
    const number = await made.ready(made.otto)
    await want(made, made.mel, number)
    await made.world.jobs()
    expect(made.pull(number)).toMatchObject({ status: 'merged', merged_by: made.mel.id })
  })

  test('after the approval that was missing', async () => {
    const made = await makePullWorld({ required_approvals: 1 })
    const number = await made.ready(made.otto)
    await want(made, made.mel, number)
    await made.world.jobs()
    expect(made.pull(number).status).toBe('open')
    await made.world.call(reviewPull, made.max, { repo: REPO, number, verdict: 'approve' })
    await made.world.jobs()
    expect(made.pull(number).status).toBe('merged')
  })

  test('after the last conversation is resolved, and after a setting changed', async () => {
    const made = await makePullWorld({
      require_conversation_resolution: true,
      required_approvals: 1,
    })
    const { world, mel, otto, configure } = made
    const number = await made.ready(otto)
    const { id } = await world.call(addComment, mel, {
      repo: REPO,
      number,
      body: 'Why?',
      path: 'b.txt',
      line: 1,
    })
    await want(made, mel, number)
    await configure({ required_approvals: 0 })
    await world.jobs()
    expect(made.pull(number).status).toBe('open')
    await world.call(resolveComment, otto, { repo: REPO, id })
    await world.jobs()
    expect(made.pull(number).status).toBe('merged')
    const second = await made.ready(otto, { 'a.txt': text({ 4: 'four' }) })
    await configure({ required_approvals: 1 })
    await want(made, mel, second)
    await world.jobs()
    expect(made.pull(second).status).toBe('open')
    await configure({ required_approvals: 0 })
    await world.jobs()
    expect(made.pull(second).status).toBe('merged')
  })

  test('the base is merged in first when only that is missing', async () => {
    const made = await makePullWorld({ required_approvals: 1 })
    const { world, hearth, mel, max, otto, pull, row } = made
    const number = await made.ready(otto)
    await want(made, mel, number)
    await world.commit(REPO, 'main', { 'a.txt': text({ 2: 'theirs' }) })
    await world.call(reviewPull, max, { repo: REPO, number, verdict: 'approve' })
    await world.jobs()
    expect(pull(number)).toMatchObject({ status: 'merged', revision: 2 })
    expect(
      (await hearth.git.readCommit(row().store, pull(number).head_sha ?? ''))?.author,
    ).toMatchObject({ name: 'Hearth' })
  })

  test('by the setting of the repository: as the author who may merge, else as who approved', async () => {
    const made = await makePullWorld({ auto_merge: true })
    const { world, mel, max, otto } = made
    const own = await made.fromBranch(mel)
    await world.jobs()
    expect(made.pull(own)).toMatchObject({ status: 'merged', merged_by: mel.id })
    const outside = await made.ready(otto, { 'a.txt': text({ 7: 'seven' }) })
    await world.jobs()
    expect(made.pull(outside).status).toBe('open')
    await world.call(reviewPull, max, { repo: REPO, number: outside, verdict: 'approve' })
    await world.jobs()
    expect(made.pull(outside)).toMatchObject({ status: 'merged', merged_by: max.id })
  })
})

describe('pull requests of agents', () => {
  const setUp = async (settings = {}) => {
    const made = await makePullWorld({ auto_merge: true, ...settings })
    await made.push(REPO, 'topic', made.ref('main'))
    await made.world.commit(REPO, 'topic', { 'b.txt': 'by an agent\n' }, { as: made.ada })
    const { pull } = await made.world.call(createPull, made.ada, {
      repo: REPO,
      title: 'By an agent',
      branch: 'topic',
      agent: 'helper',
    })
    await made.world.jobs()
    return { ...made, number: pull.number }
  }

  test('wait for an approval of a person', async () => {
    const { world, max, number, pull } = await setUp()
    expect(pull(number).status).toBe('open')
    await world.call(reviewPull, max, { repo: REPO, number, verdict: 'approve' })
    await world.jobs()
    expect(pull(number).status).toBe('merged')
  })

  test('merge without one where the settings say so', async () => {
    const { number, pull } = await setUp({ agent_auto_merge_needs_person: false })
    expect(pull(number).status).toBe('merged')
  })
})

describe('rules about it', () => {
  test('it waits for its window, and comes back when that opens', async () => {
    const made = await makePullWorld()
    const { world, ada, mel, otto, pull } = made
    const opens = Math.ceil((world.clock.now() + 1) / 86_400_000) * 86_400_000
    const day =
      (['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const)[new Date(opens).getUTCDay()] ??
      'mon'
    const window = {
      type: 'merge_window' as const,
      parameters: { windows: [{ days: [day], start: '00:00', end: '23:00' }] },
    }
    await world.call(createRuleset, ada, {
      repo: REPO,
      name: 'Mornings',
      conditions: { ref_name: { include: ['~ALL'] } },
      rules: [window],
    })
    const number = await made.ready(otto)
    await want(made, mel, number)
    await world.jobs()
    expect(pull(number).status).toBe('open')
    world.clock.advance(opens - world.clock.now() + 5_000)
    await world.jobs()
    expect(pull(number).status).toBe('merged')
  })

  test('it merges once a rule is gone, also one of the whole workspace', async () => {
    const made = await makePullWorld()
    const { world, ada, mel, otto, pull } = made
    for (const place of [{ repo: REPO }, { workspace: 'acme' }]) {
      const { id } = await world.call(createRuleset, ada, {
        ...place,
        name: 'Two eyes more',
        conditions: {
          ref_name: { include: ['~ALL'] },
          ...('workspace' in place ? { repository: { include: ['~ALL'] } } : {}),
        },
        rules: [{ type: 'pull_request', parameters: { required_approvals: 2 } }],
      })
      const number = await made.ready(otto, { [`${'workspace' in place}.txt`]: 'x\n' })
      await want(made, mel, number)
      await world.jobs()
      expect(pull(number).status).toBe('open')
      await world.call(deleteRuleset, ada, { ...place, id })
      await world.jobs()
      expect(pull(number).status).toBe('merged')
    }
  })

  test('with what whoever asked may pass: rules that let them by, and only them', async () => {
    const made = await makePullWorld()
    const { world, ada, mel, max, otto, pull } = made
    await world.call(createRuleset, ada, {
      repo: REPO,
      name: 'Two eyes more',
      conditions: { ref_name: { include: ['~ALL'] } },
      bypass_actors: [{ kind: 'user', value: 'mel' }],
      rules: [{ type: 'pull_request', parameters: { required_approvals: 1 } }],
    })
    const [held, passed] = [
      await made.ready(otto),
      await made.ready(otto, { 'docs/guide.txt': 'x\n' }),
    ]
    await want(made, max, held)
    await want(made, mel, passed)
    await world.jobs()
    expect([pull(held).status, pull(passed).status]).toEqual(['open', 'merged'])
    expect(pull(passed).merged_by).toBe(mel.id)
  })
})

describe('it does not merge', () => {
  test('a draft, or one with conflicts', async () => {
    const made = await makePullWorld()
    const draft = await made.draft(made.mel)
    await want(made, made.mel, draft)
    const number = await made.ready(made.otto, { 'a.txt': text({ 2: 'mine' }) })
    await made.world.commit(REPO, 'main', { 'a.txt': text({ 2: 'theirs' }) })
    await want(made, made.mel, number)
    await made.world.jobs()
    expect([
      made.pull(draft).status,
      made.pull(number).status,
      made.pull(number).auto_merge,
    ]).toEqual(['draft', 'open', 1])
  })

  test('for somebody who may not any more: it stops and says why', async () => {
    const made = await makePullWorld({ required_approvals: 1 })
    const { world, ada, mel, otto } = made
    const number = await made.ready(otto)
    await want(made, mel, number)
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'read' })
    await world.call(reviewPull, ada, { repo: REPO, number, verdict: 'approve' })
    await world.jobs()
    expect(made.pull(number)).toMatchObject({ status: 'open', auto_merge: 0 })
    expect(world.events('pull.updated').at(-1)).toMatchObject({
      actor_id: null,
      data: { changed: ['auto_merge'], reason: expect.stringContaining('write') },
    })
  })

  test('with a token that was revoked meanwhile', async () => {
    const made = await makePullWorld({ required_approvals: 1 })
    const { world, ada, otto } = made
    const bot = await made.agent(ada)
    const token =
      made.hearth.db.one<{ id: string }>('SELECT id FROM tokens WHERE actor_id = ?', bot.id)?.id ??
      ''
    const number = await made.ready(otto)
    await want(
      made,
      { ...bot, token: { ...bot.token, id: token } } as unknown as World['mel'],
      number,
    )
    await world.write((tx) => endTokensOf(tx, bot.id))
    await world.call(reviewPull, ada, { repo: REPO, number, verdict: 'approve' })
    await world.jobs()
    expect(made.pull(number)).toMatchObject({ status: 'open', auto_merge: 0 })
  })

  test('after all agents were stopped', async () => {
    const made = await makePullWorld({ required_approvals: 1 })
    const { world, ada, mel, max, otto } = made
    const number = await made.ready(otto)
    await want(made, mel, number)
    await world.call(stopAllAgents, ada, { repo: REPO, reason: 'Enough' })
    await world.call(reviewPull, max, { repo: REPO, number, verdict: 'approve' })
    await world.jobs()
    expect(made.pull(number)).toMatchObject({ status: 'open', auto_merge: 0 })
  })

  test('a caller who may not merge cannot ask for it', async () => {
    const made = await makePullWorld()
    const number = await made.ready(made.otto)
    for (const caller of [made.otto, withToken(made.mel, { scopes: ['pulls:write'] })]) {
      expect(await refusal(want(made, caller, number))).toMatchObject({ status: 403 })
    }
    await made.world.jobs()
    expect(made.pull(number)).toMatchObject({ status: 'open', auto_merge: 0 })
  })
})
