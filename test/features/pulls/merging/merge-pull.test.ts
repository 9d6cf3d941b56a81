import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { resolveComment } from '#features/issues/comments/resolve-comment.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { convertPullToDraft } from '#features/pulls/lifecycle/convert-pull-to-draft.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { getPullChanges } from '#features/pulls/changes/get-pull-changes.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal, withToken, workspaceCaller } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

const commitOf = async (
  { hearth, row }: Awaited<ReturnType<typeof makePullWorld>>,
  oid: string | null,
) => {
  const commit = await hearth.git.readCommit(row().store, oid ?? '')
  if (!commit) throw new Error('no commit')
  return commit
}

describe('merge', () => {
  test('moves the base to a commit with two parents, and settles everything in one go', async () => {
    const forge = await makePullWorld()
    const { world, ada, otto, ready, draft, issue, ref, pull, hearth, row } = forge
    const of = await issue()
    const before = ref('main')
    const number = await ready(otto, { 'b.txt': 'changed\n' }, { issue: of })
    const sibling = await draft(otto, { 'c.txt': 'c\n' }, { issue: of })
    const stranger = await draft(otto, { 'd.txt': 'd\n' })
    const head = pull(number).head_sha
    world.clock.advance(1000)
    const merged = await world.call(mergePull, ada, { repo: REPO, number })
    const tip = ref('main')
    expect(merged).toMatchObject({
      status: 'merged',
      merged_by: 'ada',
      merge_commit_sha: tip,
      merge_method: 'merge',
      queue: null,
      commits_count: 1,
      base: { ref: 'main', sha: tip },
      head: { sha: head },
    })
    expect(merged.merged_at).toBe(new Date(world.clock.now()).toISOString())
    expect(merged.blockers.map(({ code }) => code)).toEqual(['not_open'])
    const commit = await commitOf(forge, tip)
    expect(commit.parents).toEqual([before ?? '', head ?? ''])
    expect(commit.message).toBe(
      `Merge #${number}: It is broken\n\nIt is done.\n\nPull-Request: ${REPO}#${number}\nSession: https://hearth.test/${REPO}/pull/${number}/session\n`,
    )
    expect(commit.author.name).toBe('ada')
    expect(await hearth.git.findEntry(row().store, tip ?? '', 'b.txt')).not.toBeNull()

    const detail = await world.call(getIssue, otto, { repo: REPO, number: of })
    expect(detail.issue).toMatchObject({
      state: 'closed',
      reason: 'completed',
      resolved_by: number,
      closed_by: { username: 'ada' },
    })
    expect(detail.pulls).toMatchObject([
      { number: sibling, status: 'closed', superseded_by: number },
      { number, status: 'merged', merged_by: 'ada' },
    ])
    expect(await world.call(getPull, otto, { repo: REPO, number: sibling })).toMatchObject({
      status: 'closed',
      superseded_by: number,
      issue: { number: of },
    })
    expect(pull(stranger).status).toBe('draft')
    expect(row().open_pulls_count).toBe(1)

    const told = world
      .events()
      .slice(
        world.events().findIndex(({ type, data }) => type === 'git.push' && data.after === tip),
      )
    expect(told.map(({ type }) => type)).toEqual([
      'git.push',
      'pull.merged',
      'issue.closed',
      'pull.closed',
    ])
    expect(told[1]?.data).toEqual({
      number,
      issue: of,
      commit: tip,
      method: 'merge',
      merged_by: 'ada',
    })
    expect(told[3]?.data).toEqual({ number: sibling, issue: of, superseded_by: number })
    await world.jobs()
    expect(pull(number).merge_method).toBe('merge')
  })

  test('its changes and commits stay what they were', async () => {
    const { world, ada, otto, ready, ref } = await makePullWorld()
    const number = await ready(otto)
    const base = ref('main')
    await world.call(mergePull, ada, { repo: REPO, number })
    await world.commit(REPO, 'main', { 'b.txt': 'later\n' })
    await world.jobs()
    const changes = await world.call(getPullChanges, anonymous, { repo: REPO, number })
    expect(changes).toMatchObject({
      base_sha: base,
      totals: { files: 1, additions: 1, deletions: 1 },
      files: [{ path: 'b.txt' }],
    })
    expect(await world.call(getPull, anonymous, { repo: REPO, number })).toMatchObject({
      commits_count: 1,
      behind: { by: 0, conflicts: null },
    })
  })

  test('keep_issue_open leaves the issue and its other pull requests alone', async () => {
    const { world, ada, otto, ready, draft, issue, pull } = await makePullWorld()
    const of = await issue()
    const number = await ready(otto, undefined, { issue: of })
    const sibling = await draft(otto, { 'c.txt': 'c\n' }, { issue: of })
    await world.call(mergePull, ada, { repo: REPO, number, keep_issue_open: true })
    expect((await world.call(getIssue, otto, { repo: REPO, number: of })).issue).toMatchObject({
      state: 'open',
      resolved_by: null,
    })
    expect(pull(sibling).status).toBe('draft')
    expect(world.events('issue.closed')).toEqual([])
  })

  test('a message of the caller’s own keeps the trailers', async () => {
    const forge = await makePullWorld()
    const number = await forge.ready(forge.otto)
    await forge.world.call(mergePull, forge.ada, {
      repo: REPO,
      number,
      message: 'Land it\n\nReviewed-by: mel',
    })
    expect((await commitOf(forge, forge.ref('main'))).message).toBe(
      `Land it\n\nReviewed-by: mel\nPull-Request: ${REPO}#${number}\nSession: https://hearth.test/${REPO}/pull/${number}/session\n`,
    )
  })
})

describe('squash', () => {
  test('is one commit by the author, with everyone else who wrote as co-author', async () => {
    const forge = await makePullWorld()
    const { world, ada, mel, otto, draft, fork, ref, pull } = forge
    const { markPullReady } = await import('#features/pulls/lifecycle/mark-pull-ready.ts')
    const number = await draft(otto)
    await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: mel })
    await world.call(markPullReady, otto, { repo: REPO, number, summary: 'Summary' })
    const before = ref('main')
    const merged = await world.call(mergePull, ada, { repo: REPO, number, method: 'squash' })
    expect(merged.merge_method).toBe('squash')
    const commit = await commitOf(forge, ref('main'))
    expect(commit.parents).toEqual([before ?? ''])
    expect(commit.author.name).toBe('otto')
    expect(commit.message).toStartWith(`Change it (#${number})\n\nSummary\n\n`)
    expect(commit.message).toContain('Co-authored-by: mel <mel@example.com>\n')
    expect(commit.message).toContain(`Pull-Request: ${REPO}#${number}\n`)
    expect(pull(number).status).toBe('merged')
  })

  test('of an agent is by the person it acts for, with the agent as co-author', async () => {
    const forge = await makePullWorld()
    const bot = await forge.agent(forge.mel)
    const number = await forge.ready(bot)
    await forge.world.call(mergePull, forge.ada, { repo: REPO, number, method: 'squash' })
    const commit = await commitOf(forge, forge.ref('main'))
    expect(commit.author.name).toBe('mel')
    expect(commit.message).toMatch(/Co-authored-by: mel\/bot <[^>]+@users\.noreply\.hearth\.test>/)
  })
})

describe('rebase', () => {
  test('replays each commit, committed by the service, with trailers', async () => {
    const forge = await makePullWorld({ require_up_to_date: false })
    const { world, ada, otto, ready, fork, ref, hearth, row } = forge
    const number = await ready(otto, { 'b.txt': '1\n' })
    await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: otto, message: 'Second' })
    await world.commit(REPO, 'main', { 'z.txt': 'z\n' })
    const before = ref('main')
    await world.call(mergePull, ada, { repo: REPO, number, method: 'rebase' })
    const log = await hearth.git.log(row().store, {
      tips: [ref('main') ?? ''],
      hide: [before ?? ''],
    })
    expect(
      log.map(({ message, committer, author }) => [
        message.split('\n')[0],
        committer.name,
        author.name,
      ]),
    ).toEqual([
      ['Second', 'Hearth', 'otto'],
      ['Change files', 'Hearth', 'otto'],
    ])
    expect(log[0]?.message).toContain(`Pull-Request: ${REPO}#${number}`)
    expect(log[1]?.parents).toEqual([before ?? ''])
  })

  test('a step that conflicts is refused though merging would not be, and nothing moves', async () => {
    const forge = await makePullWorld({ require_up_to_date: false })
    const { world, ada, otto, ready, fork, ref, pull } = forge
    const number = await ready(otto, { 'a.txt': text({ 5: 'mine' }) })
    await world.commit(fork(number), 'main', { 'a.txt': text({ 15: 'also' }) }, { as: otto })
    await world.commit(REPO, 'main', { 'a.txt': text({ 5: 'theirs' }) })
    const before = ref('main')
    expect(
      await refusal(world.call(mergePull, ada, { repo: REPO, number, method: 'rebase' })),
    ).toMatchObject({ status: 409, reason: 'conflicts', details: { paths: ['a.txt'] } })
    expect(ref('main')).toBe(before)
    expect(pull(number).status).toBe('open')
  })
})

describe('refusals', () => {
  test('rights: sign-in, scope, membership and write', async () => {
    const { world, ada, mel, otto, workspace, ready, pull, ref } = await makePullWorld()
    const number = await ready(otto)
    const before = ref('main')
    const input = { repo: REPO, number }
    expect(await refusal(world.call(mergePull, anonymous, input))).toMatchObject({ status: 401 })
    expect(await refusal(world.call(mergePull, otto, input))).toMatchObject({
      status: 403,
      reason: 'role',
    })
    expect(
      await refusal(world.call(mergePull, withToken(mel, { scopes: ['pulls:write'] }), input)),
    ).toMatchObject({ status: 403, reason: 'scope', details: { scope: 'pulls:merge' } })
    expect(
      await refusal(world.call(mergePull, withToken(ada, { role: 'triage' }), input)),
    ).toMatchObject({ status: 403, reason: 'role' })
    expect(
      await refusal(
        world.call(mergePull, workspaceCaller(workspace, { scopes: ['pulls:write'] }), input),
      ),
    ).toMatchObject({ status: 403, reason: 'scope' })
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'read' })
    expect(await refusal(world.call(mergePull, mel, input))).toMatchObject({
      status: 403,
      reason: 'role',
    })
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number: 77 }))).toMatchObject({
      status: 404,
    })
    expect(pull(number).status).toBe('open')
    expect(ref('main')).toBe(before)
    expect(world.events('pull.merged')).toEqual([])
  })

  test('a draft, a closed one, one that is merged already', async () => {
    const { world, ada, otto, draft, ready } = await makePullWorld()
    const { closePull } = await import('#features/pulls/lifecycle/close-pull.ts')
    const number = await draft(otto)
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
      status: 409,
      reason: 'draft',
      details: { blockers: [{ code: 'draft' }] },
    })
    await world.call(closePull, otto, { repo: REPO, number })
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
      status: 409,
      reason: 'not_open',
    })
    const second = await ready(otto)
    await world.call(mergePull, ada, { repo: REPO, number: second })
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number: second }))).toMatchObject(
      { status: 409, reason: 'not_open' },
    )
    expect(world.events('pull.merged')).toHaveLength(1)
  })

  test('another head than was expected', async () => {
    const { world, ada, otto, ready, pull } = await makePullWorld()
    const number = await ready(otto)
    const head = pull(number).head_sha ?? ''
    expect(
      await refusal(
        world.call(mergePull, ada, { repo: REPO, number, expected_head: 'f'.repeat(40) }),
      ),
    ).toMatchObject({ status: 409, reason: 'head_moved', details: { head } })
    expect(
      (await world.call(mergePull, ada, { repo: REPO, number, expected_head: head.slice(0, 10) }))
        .status,
    ).toBe('merged')
  })

  test('a base that moved, until it is merged in; what get_pull lists is what merging says', async () => {
    const { world, ada, otto, ready, mergeBaseIn, ref } = await makePullWorld()
    const number = await ready(otto)
    await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
    const refused = await refusal(world.call(mergePull, ada, { repo: REPO, number }))
    expect(refused).toMatchObject({
      status: 409,
      reason: 'base_moved',
      details: { behind: 1, base_sha: ref('main') },
    })
    const detail = await world.call(getPull, ada, { repo: REPO, number })
    expect(detail.blockers).toEqual(refused.details.blockers as typeof detail.blockers)
    expect(detail).toMatchObject({
      mergeable: 'yes',
      behind: { by: 1, base: 'main', conflicts: false, touched_paths: [] },
    })
    await mergeBaseIn(number, otto)
    expect((await world.call(mergePull, ada, { repo: REPO, number })).status).toBe('merged')
  })

  test('conflicts come before a base that moved', async () => {
    const { world, ada, otto, ready, configure } = await makePullWorld()
    const number = await ready(otto, { 'a.txt': text({ 3: 'mine' }) })
    await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
    const refused = await refusal(world.call(mergePull, ada, { repo: REPO, number }))
    expect(refused).toMatchObject({
      status: 409,
      reason: 'conflicts',
      details: { paths: ['a.txt'] },
    })
    expect((refused.details.blockers as { code: string }[]).map(({ code }) => code)).toEqual([
      'conflicts',
      'base_moved',
    ])
    await configure({ require_up_to_date: false })
    const detail = await world.call(getPull, ada, { repo: REPO, number })
    expect(detail).toMatchObject({
      mergeable: 'no',
      behind: { conflicts: true, conflict_paths: ['a.txt'], touched_paths: ['a.txt'] },
    })
    expect(detail.blockers.map(({ code }) => code)).toEqual(['conflicts'])
  })

  test('approvals that are missing, and changes that were requested', async () => {
    const { world, ada, mel, max, otto, ready } = await makePullWorld({ required_approvals: 1 })
    const number = await ready(otto)
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
      reason: 'approvals_missing',
      details: { required: 1, counted: 0 },
    })
    await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
    await world.call(reviewPull, max, {
      repo: REPO,
      number,
      verdict: 'request_changes',
      body: 'No.',
    })
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
      reason: 'changes_requested',
    })
    await world.call(reviewPull, max, { repo: REPO, number, verdict: 'approve' })
    expect(await world.call(mergePull, ada, { repo: REPO, number })).toMatchObject({
      status: 'merged',
      approvals: { required: 1, counted: 2 },
    })
  })

  test('conversations that are open, where the repository asks for that', async () => {
    const { world, ada, mel, otto, ready, configure } = await makePullWorld()
    const number = await ready(otto)
    const comment = await world.call(addComment, mel, {
      repo: REPO,
      number,
      body: 'Why?',
      path: 'b.txt',
      line: 1,
    })
    await configure({ require_conversation_resolution: true })
    expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
      reason: 'conversations_open',
      details: { open: 1 },
    })
    await world.call(resolveComment, otto, { repo: REPO, id: comment.id, resolved: true })
    expect((await world.call(mergePull, ada, { repo: REPO, number })).status).toBe('merged')
  })

  test('a method that the repository does not allow; with a queue merging lands nothing by itself', async () => {
    const { world, ada, otto, ready, configure, ref } = await makePullWorld({
      merge_methods: ['squash'],
      default_merge_method: 'squash',
    })
    const number = await ready(otto)
    const before = ref('main')
    expect(
      await refusal(world.call(mergePull, ada, { repo: REPO, number, method: 'merge' })),
    ).toMatchObject({ status: 422, field: 'method' })
    await configure({ merge_queue: true })
    expect(await world.call(mergePull, ada, { repo: REPO, number })).toMatchObject({
      status: 'open',
      blockers: [],
      queue: { position: 1, state: 'queued' },
    })
    expect(ref('main')).toBe(before)
    await configure({ merge_queue: false })
    expect((await world.call(mergePull, ada, { repo: REPO, number })).merge_method).toBe('squash')
  })
})

describe('races', () => {
  test('of two merges at once one wins; the other is told that the base has moved', async () => {
    const { world, ada, mel, otto, ready, ref, hearth, row, pull } = await makePullWorld({
      require_up_to_date: false,
    })
    const before = ref('main')
    const first = await ready(otto, { 'c.txt': 'c\n' })
    const second = await ready(otto, { 'd.txt': 'd\n' })
    const both = await Promise.allSettled([
      world.call(mergePull, ada, { repo: REPO, number: first }),
      world.call(mergePull, mel, { repo: REPO, number: second }),
    ])
    const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(lost.reason).toMatchObject({ status: 409, reason: 'base_moved' })
    expect([pull(first).status, pull(second).status].sort()).toEqual(['merged', 'open'])
    expect(
      await hearth.git.countCommits(row().store, {
        tips: [ref('main') ?? ''],
        hide: [before ?? ''],
        firstParent: true,
      }),
    ).toBe(1)
    expect(world.events('pull.merged')).toHaveLength(1)
  })

  test('the same one twice at once: merged once', async () => {
    const { world, ada, mel, otto, ready } = await makePullWorld()
    const number = await ready(otto)
    const both = await Promise.allSettled(
      [ada, mel].map((caller) => world.call(mergePull, caller, { repo: REPO, number })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(world.events('pull.merged')).toHaveLength(1)
  })

  test('a push, a conversion to draft or a request for changes while the merge is built stops it', async () => {
    const { world, hearth, ada, mel, otto, ready, fork, ref, pull } = await makePullWorld()
    const number = await ready(otto)
    const before = ref('main')
    const meanwhile = async (happens: () => Promise<unknown>) => {
      const land = hearth.git.merge
      hearth.git.merge = async (...args) => {
        hearth.git.merge = land
        await happens()
        return land.apply(hearth.git, args)
      }
      return refusal(world.call(mergePull, ada, { repo: REPO, number }))
    }
    expect(
      await meanwhile(() => world.call(convertPullToDraft, otto, { repo: REPO, number })),
    ).toMatchObject({ reason: 'draft' })
    const { markPullReady } = await import('#features/pulls/lifecycle/mark-pull-ready.ts')
    await world.call(markPullReady, otto, { repo: REPO, number, summary: 'again' })
    expect(
      await meanwhile(() => world.commit(fork(number), 'main', { 'e.txt': 'e\n' }, { as: otto })),
    ).toMatchObject({ reason: 'head_moved' })
    expect(
      await meanwhile(() =>
        world.call(reviewPull, mel, {
          repo: REPO,
          number,
          verdict: 'request_changes',
          body: 'Wait',
        }),
      ),
    ).toMatchObject({ reason: 'changes_requested' })
    expect(ref('main')).toBe(before)
    expect(pull(number).status).toBe('open')
    expect(world.events('pull.merged')).toEqual([])
  })

  test('a result that is not what merging gives stops it, and nothing moves', async () => {
    const { world, hearth, ada, otto, ready, ref, pull, row } = await makePullWorld()
    const number = await ready(otto)
    const before = ref('main') ?? ''
    const land = hearth.git.merge
    hearth.git.merge = async (store, options) => {
      const signature = options.author
      const extra = await hearth.git.commitFiles(store, {
        parent: options.head,
        changes: [{ action: 'delete', path: 'a.txt' }],
        message: 'x',
        author: signature,
        committer: signature,
      })
      return land.call(hearth.git, store, { ...options, head: extra.commit })
    }
    expect(world.call(mergePull, ada, { repo: REPO, number })).rejects.toThrow('was stopped')
    await Bun.sleep(0)
    await world.call(getPull, ada, { repo: REPO, number })
    expect(ref('main')).toBe(before)
    expect(pull(number).status).toBe('open')
    expect(row().open_pulls_count).toBe(1)
    hearth.git.merge = land
    expect((await world.call(mergePull, ada, { repo: REPO, number })).status).toBe('merged')
  })
})

describe('the merged branch', () => {
  test('is deleted, and its commits stay readable', async () => {
    const { world, ada, mel, fromBranch, ref, pull, hearth, row } = await makePullWorld()
    const number = await fromBranch(mel)
    const head = ref('feature')
    await world.call(mergePull, ada, { repo: REPO, number, method: 'squash' })
    expect(ref('feature')).toBeNull()
    expect(pull(number)).toMatchObject({ status: 'merged', head_sha: head })
    expect(
      hearth.db.one<{ oid: string }>(
        'SELECT oid FROM refs WHERE repo_id = ? AND name = ?',
        row().id,
        `refs/pull/${number}/head`,
      )?.oid,
    ).toBe(head ?? '')
    expect(world.events('pull.closed')).toEqual([])
    expect(world.events('git.push').at(-1)?.data).toMatchObject({
      ref: 'refs/heads/feature',
      deleted: true,
    })
  })

  test('stays when the repository keeps branches, or when another pull request stands on it', async () => {
    const { world, ada, mel, fromBranch, ref, pull, push, configure } = await makePullWorld({
      delete_branch_on_merge: false,
    })
    const first = await fromBranch(mel, 'feature')
    await world.call(mergePull, ada, { repo: REPO, number: first })
    expect(ref('feature')).not.toBeNull()
    await configure({ delete_branch_on_merge: true, require_up_to_date: false })
    const second = await fromBranch(mel, 'second', { 'c.txt': 'c\n' })
    await push(REPO, 'third', ref('second'))
    await world.commit(REPO, 'third', { 'd.txt': 'd\n' }, { as: mel })
    const { createPull } = await import('#features/pulls/lifecycle/create-pull.ts')
    const stacked = (
      await world.call(createPull, mel, {
        repo: REPO,
        title: 'On top',
        branch: 'third',
        base: 'second',
      })
    ).pull.number
    await world.call(mergePull, ada, { repo: REPO, number: second })
    expect(ref('second')).not.toBeNull()
    expect(pull(stacked).status).toBe('open')
  })
})

test('an agent’s merge is its person’s', async () => {
  const { world, ada, otto, agent, ready } = await makePullWorld()
  const bot = await agent(ada)
  const number = await ready(otto)
  expect(await world.call(mergePull, bot, { repo: REPO, number })).toMatchObject({
    merged_by: 'ada',
    status: 'merged',
  })
})

test('renames on the base are followed', async () => {
  const { world, hearth, ada, otto, ready, ref, row } = await makePullWorld({
    require_up_to_date: false,
  })
  const number = await ready(otto, { 'a.txt': text({ 5: 'mine' }), 'docs/new.txt': 'new\n' })
  await world.commit(REPO, 'main', { 'a.txt': null, 'moved/a.txt': text({ 15: 'theirs' }) })
  await world.call(mergePull, ada, { repo: REPO, number })
  const entry = await hearth.git.findEntry(row().store, ref('main') ?? '', 'moved/a.txt')
  const blob = entry && (await hearth.git.readBlob(row().store, entry.oid))
  expect(new TextDecoder().decode(blob?.data)).toBe(text({ 5: 'mine', 15: 'theirs' }))
})

test('the session of one without entries is not named', async () => {
  const forge = await makePullWorld()
  const number = await forge.fromBranch(forge.mel)
  await forge.world.call(updatePull, forge.mel, { repo: REPO, number, body: '' })
  await forge.world.call(mergePull, forge.ada, { repo: REPO, number })
  const push = forge.world
    .events('git.push')
    .find(({ data }) => data.ref === 'refs/heads/main' && data.after === forge.ref('main'))
  expect(push).toBeDefined()
  expect((await commitOf(forge, forge.ref('main'))).message).toBe(
    `Merge #${number}: From a branch\n\nPull-Request: ${REPO}#${number}\n`,
  )
  expect(
    await refusal(
      forge.world.call(appendSession, forge.otto, {
        repo: REPO,
        number,
        entries: [{ kind: 'message', text: 'x' }],
      }),
    ),
  ).toMatchObject({ status: 403 })
})

test('what waits in a queue was asked for, and is told of once; what lands at once is told of as merged alone', async () => {
  const { world, mel, otto, ready, configure } = await makePullWorld()
  const [first, second] = [await ready(otto), await ready(otto, { 'docs/guide.txt': 'better\n' })]
  await world.call(mergePull, mel, { repo: REPO, number: first })
  expect(world.events('pull.merge_requested')).toEqual([])
  await configure({ merge_queue: true })
  await world.call(mergePull, mel, { repo: REPO, number: second })
  await world.call(mergePull, mel, { repo: REPO, number: second })
  expect(
    world.events('pull.merge_requested').map(({ actor_id, data }) => [actor_id, data]),
  ).toEqual([[mel.id, { number: second, issue: null }]])
})
