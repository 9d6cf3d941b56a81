import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { updateComment } from '#features/issues/comments/update-comment.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto, as, issue } = await makeIssueWorld()
const repo = 'acme/site'
const number = await issue()
const update = (caller: typeof ada, id: string, body = 'Better said', name = repo) =>
  world.call(updateComment, caller, { repo: name, id, body })

test('the author and those with maintain change it, without an event', async () => {
  const made = await world.call(addComment, otto, { repo, number, body: 'Badly said' })
  const before = world.events().length
  world.clock.advance(1000)
  const changed = await update(otto, made.id)
  expect(changed).toMatchObject({ id: made.id, body: 'Better said', created_at: made.created_at })
  expect(changed.updated_at > made.updated_at).toBe(true)
  expect(await refusal(update(as('write'), made.id, 'Mine'))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect((await update(as('maintain'), made.id, 'Milder')).author.username).toBe('otto')
  expect(world.events().length).toBe(before)
})

test('ids of other repositories, of other kinds and of none give 404', async () => {
  const made = await world.call(addComment, ada, { repo, number, body: 'Here' })
  expect(await refusal(update(ada, made.id, 'There', 'acme/vault'))).toMatchObject({ status: 404 })
  for (const id of ['cmt_x', made.id.replace('cmt', 'iss'), `${made.id.slice(0, -1)}!`])
    expect(await refusal(update(ada, id))).toMatchObject({ status: 404 })
  for (const body of ['', ' '])
    expect(await refusal(update(ada, made.id, body))).toMatchObject({ status: 422, field: 'body' })
})
