/** What people are told of pull requests. */
import { expect, test } from 'bun:test'
import type { UserCaller } from '#core/caller.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { requestReview } from '#features/pulls/reviews/request-review.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { sentMails } from '../../accounts/mailbox.ts'
import { makePullWorld, REPO } from '../../pulls/fixture.ts'

async function withTold() {
  const made = await makePullWorld()
  const told = async (person: UserCaller): Promise<string[]> => {
    await made.world.jobs()
    return (await made.world.call(listNotifications, person, {})).items.map(
      ({ reason, subject }) => `${reason} ${subject.kind} ${subject.number ?? ''}`,
    )
  }
  return {
    ...made,
    told,
    count: (table: string) =>
      made.hearth.db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0,
  }
}

test('who is asked to review is told, its author hears of the review, and a review of many lines is told once', async () => {
  const { world, told, ready, mel, max, ada, otto, count } = await withTold()
  const number = await ready(mel, { 'b.txt': 'changed\n' })
  await world.call(requestReview, mel, { repo: REPO, number, users: ['max'] })
  expect(await told(max)).toEqual([`review_requested pull ${number}`])
  expect(await told(mel)).toEqual([])
  expect(await told(ada)).toEqual([])
  const before = count('notification_work')
  await world.call(reviewPull, max, {
    repo: REPO,
    number,
    verdict: 'request_changes',
    body: 'See below, @ada.',
    comments: [
      { path: 'b.txt', line: 1, body: 'Why, @otto?' },
      { path: 'b.txt', line: 1, body: 'And why?' },
    ],
  })
  expect(count('notification_work')).toBe(before + 1)
  expect(await told(mel)).toEqual([`author pull ${number}`])
  expect(await told(ada)).toEqual([`mention pull ${number}`])
  expect(await told(otto)).toEqual([`mention pull ${number}`])
  const mail = (await sentMails(world)).findLast(({ to }) => to.startsWith('mel@'))?.text
  expect(mail).toContain(`max reviewed #${number}:\n\nSee below, @ada.`)
  expect(mail).toContain(`max reviewed #${number} (b.txt:1):\n\nAnd why?`)
  // Asked again after the review, told again.
  const [row] = (await world.call(listNotifications, max, {})).items
  await world.write(
    (tx) =>
      void tx.db.run('UPDATE notifications SET unread = 0, done = 1 WHERE id = ?', row?.id ?? ''),
  )
  expect(await told(max)).toEqual([])
  await world.call(requestReview, mel, { repo: REPO, number, users: ['max'] })
  expect(await told(max)).toEqual([`review_requested pull ${number}`])
})

test('a whole team is asked, but never the author in it', async () => {
  const { world, told, ready, ada, mel, max, otto } = await withTold()
  await world.call(createTeam, ada, { workspace: 'acme', name: 'core' })
  for (const username of ['mel', 'max'])
    await world.call(setTeamMember, ada, { workspace: 'acme', team: 'core', username })
  const number = await ready(mel)
  await world.call(requestReview, ada, { repo: REPO, number, teams: ['core'] })
  expect(await told(max)).toEqual([`review_requested pull ${number}`])
  expect(await told(mel)).toEqual([])
  expect(await told(ada)).toEqual([])
  expect(await told(otto)).toEqual([])
})

test('closing with a comment is told once; merging tells the authors of the pull request and of its issue', async () => {
  const { world, told, ready, issue, ada, mel, otto, count } = await withTold()
  const about = await issue(otto)
  const first = await ready(mel, { 'b.txt': 'x\n' })
  await world.jobs()
  await world.call(closePull, ada, { repo: REPO, number: first, comment: 'Not now.' })
  expect(count('notification_work')).toBe(1)
  expect(await told(mel)).toEqual([`author pull ${first}`])
  const second = await ready(mel, { 'a.txt': 'y\n' }, { issue: about })
  await world.call(mergePull, ada, { repo: REPO, number: second })
  expect(await told(mel)).toEqual([`author pull ${second}`, `author pull ${first}`])
  expect(await told(otto)).toEqual([`author issue ${about}`])
  expect(await told(ada)).toEqual([])
})

test('pushes move nothing up', async () => {
  const { world, told, ready, fork, mel, max } = await withTold()
  const number = await ready(mel)
  await world.call(requestReview, mel, { repo: REPO, number, users: ['max'] })
  const [row] = (await told(max)) && (await world.call(listNotifications, max, {})).items
  await world.write(
    (tx) => void tx.db.run('UPDATE notifications SET unread = 0 WHERE id = ?', row?.id ?? ''),
  )
  await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: mel })
  await told(max)
  expect((await world.call(listNotifications, max, { unread: true })).items).toEqual([])
})

test('an agent that asks in its session waits for its person, each question by itself, until it is answered', async () => {
  const { world, told, agent, draft, mel, max, ada } = await withTold()
  const bot = await agent(mel)
  const number = await draft(bot)
  const ask = (text: string, data?: Record<string, unknown>) =>
    world.call(appendSession, bot, {
      repo: REPO,
      number,
      entries: [{ kind: 'question', text, ...(data ? { data } : {}) }],
    })
  const { last_seq } = await ask('May I delete\nthe old code?')
  await ask('And the tests?')
  await ask('What do you say?', { to: 'max' })
  expect(await told(mel)).toEqual([
    `agent_waiting question ${number}`,
    `agent_waiting question ${number}`,
  ])
  expect(await told(max)).toEqual([`agent_waiting question ${number}`])
  expect(await told(ada)).toEqual([])
  const [, first] = (await world.call(listNotifications, mel, {})).items
  expect(first?.subject).toEqual({
    kind: 'question',
    repo: REPO,
    number,
    id: String(last_seq),
    title: 'mel/bot asks: May I delete the old code?',
    url: `https://hearth.test/${REPO}/pull/${number}/session`,
    state: null,
    review: null,
    checks: null,
  })
  await world.call(appendSession, mel, {
    repo: REPO,
    number,
    entries: [{ kind: 'answer', text: 'Yes.', data: { of: last_seq } }],
  })
  expect(await told(mel)).toEqual([`agent_waiting question ${number}`])
  // What a person writes as a question waits for nobody here.
  await world.call(appendSession, mel, {
    repo: REPO,
    number,
    entries: [{ kind: 'question', text: 'Hm?' }],
  })
  expect(await told(mel)).toEqual([`agent_waiting question ${number}`])
})
