import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { deleteComment } from '#features/issues/comments/delete-comment.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { listCrossReferences } from '#features/notifications/references/list-cross-references.ts'
import { MINUTE } from '#lib/time.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('list_cross_references: where an issue is mentioned, only as far as the reader may see, and only as long as it is', async () => {
  const { world, issue, comment, ada, mel, otto } = await makeNotificationWorld()
  const target = await issue(ada, { title: 'The target' })
  const body = await issue(mel, {
    title: 'In a body',
    body: `Like #${target}, \`#${target}\` and #${target}; never #99`,
  })
  world.clock.advance(MINUTE)
  const hidden = await issue(ada, { title: 'Secret', body: `acme/site#${target}` }, 'acme/vault')
  world.clock.advance(MINUTE)
  const spoken = await issue(otto, { title: 'In a comment' })
  const said = await comment(otto, spoken, `https://hearth.test/acme/site/issues/${target}`)
  // A mention of oneself is none, and nobody leaves a mark where they cannot look.
  await comment(ada, target, `This is #${target}`)
  await issue(otto, { body: `acme/vault#${hidden}` })
  await world.jobs()
  const seen = async (as: typeof ada | typeof anonymous, number: number, repo = 'acme/site') =>
    (await world.call(listCrossReferences, as, { repo, target: String(number) })).items.map(
      ({ repo: at, number: which, title }) => `${at}#${which} ${title}`,
    )
  expect(await seen(ada, target)).toEqual([
    `acme/site#${body} In a body`,
    `acme/vault#${hidden} Secret`,
    `acme/site#${spoken} In a comment`,
  ])
  expect(await seen(otto, target)).toEqual([
    `acme/site#${body} In a body`,
    `acme/site#${spoken} In a comment`,
  ])
  expect(await seen(anonymous, target)).toEqual([
    `acme/site#${body} In a body`,
    `acme/site#${spoken} In a comment`,
  ])
  expect(await seen(ada, hidden, 'acme/vault')).toEqual([])
  const [, , third] = (
    await world.call(listCrossReferences, ada, { repo: 'acme/site', target: String(target) })
  ).items
  expect(third?.html_url ?? '').toMatch(/^https:\/\/hearth\.test\/acme\//)

  await world.call(deleteComment, otto, { repo: 'acme/site', id: said })
  await world.call(updateIssue, mel, { repo: 'acme/site', number: body, body: 'Never mind.' })
  await world.jobs()
  expect(await seen(otto, target)).toEqual([])
})

test('commits are found by their ids', async () => {
  const { world, issue, ada } = await makeNotificationWorld()
  const sha = await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  let short = 7
  // A run of digits or of letters alone is no commit.
  while (!(/\d/.test(sha.slice(0, short)) && /[a-f]/.test(sha.slice(0, short)))) short++
  const number = await issue(ada, {
    title: 'Since then',
    body: `Broken since ${sha.slice(0, short)} (not deadbee1)`,
  })
  await world.jobs()
  expect(
    (
      await world.call(listCrossReferences, anonymous, { repo: 'acme/site', target: sha })
    ).items.map((item) => item.number),
  ).toEqual([number])
  expect(world.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM cross_references')?.n).toBe(
    1,
  )
})
