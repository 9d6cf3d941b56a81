import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { countUnresolved, insertComment } from '#features/issues/index.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { resolveComment } from '#features/issues/comments/resolve-comment.ts'
import { refusal, withToken } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, as, issue, pull, row } = await makeIssueWorld()
const repo = 'acme/site'
const resolve = (caller: typeof ada, id: string, resolved?: boolean) =>
  world.call(resolveComment, caller, { repo, id, resolved })

test('a whole thread is settled and unsettled from any of its comments', async () => {
  const number = await pull()
  const { id: repo_id } = row(repo)
  const first = await world.write((tx) =>
    insertComment(tx, {
      repo_id,
      number,
      author_id: mel.id,
      body: 'Why?',
      path: 'a.ts',
      line: 3,
      commit_sha: 'b'.repeat(40),
    }),
  )
  const answer = await world.call(addComment, otto, {
    repo,
    number,
    body: 'Because',
    in_reply_to: first,
  })
  expect(countUnresolved(world.hearth.db, repo_id, number)).toBe(1)
  expect(await resolve(otto, answer.id)).toMatchObject({
    id: answer.id,
    resolved: true,
    resolved_by: { username: 'otto' },
  })
  expect(
    (await world.call(listComments, ada, { repo, number })).items.map(({ resolved }) => resolved),
  ).toEqual([true, true])
  expect(countUnresolved(world.hearth.db, repo_id, number)).toBe(0)
  expect(await resolve(mel, first, false)).toMatchObject({ resolved: false, resolved_by: null })
  expect(countUnresolved(world.hearth.db, repo_id, number)).toBe(1)
})

test('the author of the pull request and those with write may, on pull requests only', async () => {
  const made = await world.call(addComment, mel, {
    repo,
    number: await pull({ author: otto }),
    body: 'Why?',
  })
  expect(await refusal(resolve(await world.user('eve'), made.id))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await refusal(resolve(as('triage'), made.id))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(
    await refusal(resolve(withToken(ada, { scopes: ['issues:write'] }), made.id)),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect((await resolve(as('write'), made.id)).resolved).toBe(true)
  const onIssue = await world.call(addComment, mel, { repo, number: await issue(), body: 'Why?' })
  expect(await refusal(resolve(ada, onIssue.id))).toMatchObject({ status: 422, field: 'id' })
})
