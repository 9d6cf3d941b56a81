import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { Operation } from '#core/operation.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { lineCheck } from '#features/issues/index.ts'
import { lockIssue } from '#features/issues/lock-issue.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { checksum62 } from '#lib/hash.ts'
import { invalid } from '#lib/errors.ts'
import { refusal, withToken } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, as, issue, pull, agent, count } = await makeIssueWorld()
const repo = 'acme/site'
const HEAD = 'a'.repeat(40)
const comment = (caller: Parameters<typeof issue>[1], number: number, input: object = {}) =>
  world.call(addComment, caller ?? ada, { repo, number, body: 'A word', ...input })

// Stands for the pull requests: a change of lines 10 to 20 of one file.
const answers = world.hearth.operationsByName as Map<string, Operation>
answers.set(
  'check_line_comment',
  lineCheck((_, { path, line }) => {
    if (path !== 'src/a.ts') throw invalid('path', `${path} is not in the change`)
    if (line < 10 || line > 20) throw invalid('line', `line ${line} is not in the change`)
    return { commit: HEAD }
  }),
)

describe('a comment', () => {
  test('on an issue is by whoever can see it', async () => {
    const number = await issue()
    world.clock.advance(1000)
    const made = await comment(otto, number, { body: '**Me too**\n\n@ada see #1' })
    expect(made).toMatchObject({
      number,
      body: '**Me too**\n\n@ada see #1',
      author: { username: 'otto' },
      path: null,
      line: null,
      start_line: null,
      side: null,
      commit: null,
      outdated: false,
      resolved: false,
      resolved_by: null,
      in_reply_to: null,
      review: null,
      suggestion: null,
      html_url: `https://hearth.test/acme/site/issues/${number}#${made.id}`,
      reactions: {
        '+1': 0,
        '-1': 0,
        laugh: 0,
        hooray: 0,
        confused: 0,
        heart: 0,
        rocket: 0,
        eyes: 0,
      },
    })
    expect(made.id).toStartWith('cmt_')
    expect((await world.call(getIssue, ada, { repo, number })).issue).toMatchObject({
      comments_count: 1,
      updated_at: made.created_at,
    })
    expect(world.events('comment.created').at(-1)).toMatchObject({
      actor_id: otto.id,
      data: { number, comment: made.id, review: null, verdict: null, path: null, line: null },
    })
  })

  test('on a pull request has the address of the pull request', async () => {
    const number = await pull()
    expect((await comment(otto, number)).html_url).toContain(`/acme/site/pull/${number}#cmt_`)
  })

  test('by an agent shows whom it acts for', async () => {
    const bot = await agent(mel)
    expect((await comment(bot, await issue())).author).toMatchObject({
      kind: 'agent',
      username: 'mel/bot',
      on_behalf_of: { username: 'mel' },
    })
  })
})

describe('a comment on a line', () => {
  test('keeps the place, the head commit and its suggestion', async () => {
    const number = await pull()
    const body = 'Shorter:\n\n```suggestion\nreturn 1\n```\n'
    const made = await comment(mel, number, { body, path: 'src/a.ts', start_line: 11, line: 12 })
    expect(made).toMatchObject({
      path: 'src/a.ts',
      start_line: 11,
      line: 12,
      side: 'new',
      commit: HEAD,
      suggestion: { text: 'return 1', start_line: 11, line: 12, applied_in: null },
    })
    expect(world.events('comment.created').at(-1)?.data).toMatchObject({
      path: 'src/a.ts',
      line: 12,
    })
  })

  test('is refused where the change does not have it', async () => {
    const number = await pull()
    const before = count('comments')
    const bad: [object, string][] = [
      [{ path: 'src/a.ts', line: 30 }, 'line'],
      [{ path: 'src/b.ts', line: 12 }, 'path'],
      [{ path: 'src/a.ts' }, 'line'],
      [{ line: 12 }, 'path'],
      [{ side: 'old' }, 'path'],
      [{ start_line: 3 }, 'path'],
      [{ path: 'src/a.ts', line: 12, start_line: 13 }, 'start_line'],
      [{ path: '', line: 1 }, 'path'],
      [{ path: 'src/a.ts', line: 0 }, 'line'],
      [{ path: 'src/a.ts', line: 12, side: 'left' }, 'side'],
    ]
    for (const [input, field] of bad)
      expect(await refusal(comment(mel, number, input))).toMatchObject({ status: 422, field })
    expect(count('comments')).toBe(before)
  })

  test('is refused on an issue', async () => {
    const number = await issue()
    expect(await refusal(comment(ada, number, { path: 'src/a.ts', line: 12 }))).toMatchObject({
      status: 422,
      field: 'path',
    })
    expect(await refusal(comment(ada, number, { line: 12 }))).toMatchObject({
      status: 422,
      field: 'line',
    })
  })
})

describe('an answer', () => {
  test('stands in the thread of the comment it answers, where that stands', async () => {
    const number = await pull()
    const first = await comment(mel, number, { path: 'src/a.ts', line: 12, side: 'old' })
    const second = await comment(otto, number, { in_reply_to: first.id })
    const third = await comment(mel, number, { in_reply_to: second.id })
    for (const answer of [second, third])
      expect(answer).toMatchObject({
        in_reply_to: first.id,
        path: 'src/a.ts',
        line: 12,
        side: 'old',
        commit: HEAD,
      })
    expect(
      await refusal(comment(mel, number, { in_reply_to: first.id, path: 'src/a.ts', line: 13 })),
    ).toMatchObject({ status: 422, field: 'path' })
  })

  test('needs a comment of the same number', async () => {
    const [one, other] = [await issue(), await issue()]
    const first = await comment(ada, one)
    for (const in_reply_to of [first.id, 'cmt_nonsense', first.id.replace('cmt', 'iss'), '']) {
      expect(await refusal(comment(ada, other, { in_reply_to }))).toMatchObject({ status: 404 })
    }
  })
})

test('texts are 1 to 65,536 characters and more than white space', async () => {
  const number = await issue()
  for (const body of ['', '  \n\t ', 'x'.repeat(65_537), 'a\0b'])
    expect(await refusal(comment(ada, number, { body }))).toMatchObject({
      status: 422,
      field: 'body',
    })
  expect((await comment(ada, number, { body: '\u{1F600}'.repeat(65_536) })).body.length).toBe(
    131_072,
  )
  expect(world.events('comment.created').filter(({ data }) => data.number === number)).toHaveLength(
    1,
  )
})

test('an access token in the text is refused while push protection is on', async () => {
  const number = await issue()
  const start = `hthu_${'Ab3'.repeat(13)}x`
  const body = `curl -H "Authorization: Bearer ${start}${checksum62(start)}"`
  expect(await refusal(comment(ada, number, { body }))).toMatchObject({
    status: 403,
    reason: 'push_protection',
  })
  expect((await comment(ada, number, { body: `${start}000000` })).body).toContain(start)
  await world.call(updateRepoSettings, ada, { repo, push_protection: false })
  expect((await comment(ada, number, { body })).body).toBe(body)
  await world.call(updateRepoSettings, ada, { repo, push_protection: true })
})

test('on a locked issue only those with write comment', async () => {
  const number = await issue({}, otto)
  await world.call(lockIssue, ada, { repo, number, reason: 'too_heated' })
  for (const caller of [otto, as('triage')])
    expect(await refusal(comment(caller, number))).toMatchObject({ status: 403, reason: 'locked' })
  expect((await comment(as('write'), number)).number).toBe(number)
})

test('is refused to those who may not', async () => {
  const number = await issue()
  expect(
    await refusal(world.call(addComment, anonymous, { repo, number, body: 'x' })),
  ).toMatchObject({ status: 401 })
  expect(await refusal(comment(withToken(ada, { scopes: ['pulls:write'] }), number))).toMatchObject(
    { status: 403, reason: 'scope' },
  )
  expect(await refusal(comment(ada, 9999))).toMatchObject({ status: 404 })
  const hidden = await issue({}, ada, 'acme/vault')
  expect(
    await refusal(world.call(addComment, otto, { repo: 'acme/vault', number: hidden, body: 'x' })),
  ).toMatchObject({ status: 404 })
})
