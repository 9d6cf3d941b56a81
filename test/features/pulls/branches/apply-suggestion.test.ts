import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { applySuggestion } from '#features/pulls/branches/apply-suggestion.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { refusal, withToken } from '../../../world.ts'
import { LINES, makePullWorld, REPO, text } from '../fixture.ts'

const suggest = (...lines: string[]) => `Better:\n\n\`\`\`suggestion\n${lines.join('\n')}\n\`\`\`\n`

async function suggested(change = text({ 3: 'three', 9: 'nine' })) {
  const made = await makePullWorld()
  const number = await made.ready(made.otto, { 'a.txt': change })
  const comment = (line: number, body: string, more: { start_line?: number; side?: 'old' } = {}) =>
    made.world.call(addComment, made.mel, {
      repo: REPO,
      number,
      body,
      path: 'a.txt',
      line,
      ...more,
    })
  const content = async (path = 'a.txt') => {
    const entry = await made.hearth.git.findEntry(
      made.row().store,
      made.pull(number).head_sha ?? '',
      path,
    )
    return (
      entry &&
      new TextDecoder().decode((await made.hearth.git.readBlob(made.row().store, entry.oid))?.data)
    )
  }
  return { ...made, number, comment, content }
}

test('one commit by whoever applies it, on the fork, with who suggested it as co-author', async () => {
  const { world, hearth, otto, mel, number, comment, content, pull, row } = await suggested()
  const before = pull(number).head_sha
  const { id } = await comment(3, suggest('THREE'))
  const commit = await world.call(applySuggestion, otto, { repo: REPO, id })
  expect(await content()).toBe(text({ 3: 'THREE', 9: 'nine' }))
  expect(pull(number)).toMatchObject({ head_sha: commit.sha, revision: 2 })
  const made = await hearth.git.readCommit(row().store, commit.sha)
  expect(made).toMatchObject({ parents: [before], author: { name: 'otto' } })
  expect(made?.message).toMatch(/^Apply a suggestion to a\.txt\n\nCo-authored-by: mel <[^>]+>\n$/)
  const [shown] = (await world.call(listComments, mel, { repo: REPO, number })).items
  expect(shown?.suggestion).toMatchObject({ text: 'THREE', applied_in: commit.sha })
  expect(await refusal(world.call(applySuggestion, otto, { repo: REPO, id }))).toMatchObject({
    status: 409,
    reason: 'already_exists',
  })
  expect(pull(number).head_sha).toBe(commit.sha)
})

test('several in one commit, and with a range, as many lines as suggested', async () => {
  const { world, otto, number, comment, content, pull } = await suggested()
  const a = await comment(3, suggest('x', 'y'), { start_line: 2 })
  const b = await comment(9, '```suggestion\n```')
  const heads = pull(number).revision
  await world.call(applySuggestion, otto, {
    repo: REPO,
    id: a.id,
    comments: [b.id, a.id],
    message: 'As Mel says',
  })
  expect(await content()).toBe(
    `${[LINES[0], 'x', 'y', ...LINES.slice(3, 8), ...LINES.slice(9)].join('\n')}\n`,
  )
  expect(pull(number).revision).toBe(heads + 1)
})

test('follows lines that moved, and refuses lines that changed', async () => {
  const { world, otto, number, comment, content, fork } = await suggested()
  const moved = await comment(9, suggest('NINE'))
  const changed = await comment(3, suggest('THREE'))
  await world.commit(
    fork(number),
    'main',
    { 'a.txt': `first\n${text({ 3: 'drei', 9: 'nine' })}` },
    { as: otto },
  )
  expect(
    await refusal(world.call(applySuggestion, otto, { repo: REPO, id: changed.id })),
  ).toMatchObject({ status: 409, reason: 'head_moved', details: { comment: changed.id } })
  await world.call(applySuggestion, otto, { repo: REPO, id: moved.id })
  expect(await content()).toBe(`first\n${text({ 3: 'drei', 9: 'NINE' })}`)
  await world.jobs()
  expect(
    (await world.call(listComments, otto, { repo: REPO, number })).items.find(
      ({ id }) => id === changed.id,
    ),
  ).toMatchObject({ outdated: true })
})

test('only for those who may push to the head', async () => {
  const { world, ada, otto, mel, number, comment, pull } = await suggested()
  const { id } = await comment(3, suggest('THREE'))
  const before = pull(number).head_sha
  for (const caller of [
    ada,
    mel,
    await world.user('noel'),
    withToken(otto, { scopes: ['pulls:write', 'issues:write'] }),
  ]) {
    expect(await refusal(world.call(applySuggestion, caller, { repo: REPO, id }))).toMatchObject({
      status: 403,
    })
  }
  expect(pull(number).head_sha).toBe(before)
})

test('what suggests nothing, collides or is about removed lines is refused', async () => {
  const { world, otto, number, comment, ready } = await suggested()
  const plain = await comment(3, 'no')
  expect(
    await refusal(world.call(applySuggestion, otto, { repo: REPO, id: plain.id })),
  ).toMatchObject({ status: 422, field: 'id' })
  const old = await comment(3, suggest('x'), { side: 'old' })
  expect(
    await refusal(world.call(applySuggestion, otto, { repo: REPO, id: old.id })),
  ).toMatchObject({ status: 422, field: 'id' })
  const [a, b] = [await comment(3, suggest('x')), await comment(4, suggest('y'), { start_line: 3 })]
  expect(
    await refusal(world.call(applySuggestion, otto, { repo: REPO, id: a.id, comments: [b.id] })),
  ).toMatchObject({ status: 422, field: 'comments' })
  const same = await comment(9, suggest('nine'))
  expect(
    await refusal(world.call(applySuggestion, otto, { repo: REPO, id: same.id })),
  ).toMatchObject({ status: 422, field: 'id' })
  const other = await ready(otto, { 'a.txt': text({ 5: 'five' }) })
  const elsewhere = await world.call(addComment, otto, {
    repo: REPO,
    number: other,
    body: suggest('z'),
    path: 'a.txt',
    line: 5,
  })
  expect(
    await refusal(
      world.call(applySuggestion, otto, { repo: REPO, id: a.id, comments: [elsewhere.id] }),
    ),
  ).toMatchObject({ status: 422, field: 'comments' })
  expect(
    await refusal(world.call(applySuggestion, otto, { repo: REPO, id: 'cmt_nothing' })),
  ).toMatchObject({ status: 404 })
  expect(number).toBeGreaterThan(0)
})

test('not once it is merged', async () => {
  const { world, mel, otto, number, comment } = await suggested()
  const { id } = await comment(3, suggest('THREE'))
  await world.call(mergePull, mel, { repo: REPO, number })
  expect(await refusal(world.call(applySuggestion, otto, { repo: REPO, id }))).toMatchObject({
    status: 409,
  })
})
