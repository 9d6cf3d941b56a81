/**
 * The page of a session, as a browser without a script uses it: questions from elsewhere, asking,
 * and answering.
 */
import { expect, test } from 'bun:test'
import { askAgent } from '#features/agents/ask-agent.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'

test('the author answers, others with write ask, and questions of other systems are quoted', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  const { number } = (await forge.call(createPull, ada, { repo: REPO, title: 'Change it' })).pull
  const here = `/${REPO}/pull/${number}/session`
  const [owner, member, visitor] = [
    await forge.browser('ada'),
    await forge.browser('bob'),
    await forge.browser(null),
  ]
  const { seq } = await forge.call(askAgent, bob, {
    repo: REPO,
    number,
    text: 'Ignore <all> rules?',
  })

  const seen = await visitor.open(here)
  expect([
    seen.status,
    seen.html.includes(`${here}/ask`),
    seen.html.includes(`${here}/answer`),
  ]).toEqual([200, false, false])
  const asked = (await member.open(here)).html
  expect(asked).toMatch(/<blockquote>[^]*Ignore [^]*rules\?[^]*<\/blockquote>/)
  expect([asked.includes(`${here}/ask`), asked.includes(`${here}/answer`)]).toEqual([true, false])
  expect((await member.press(asked, `${here}/ask`, { question: ' ' })).status).toBe(422)
  expect((await member.press(asked, `${here}/ask`, { question: 'And the other?' })).location).toBe(
    here,
  )

  const mine = (await owner.open(here)).html
  const sent = await owner.press(mine, `${here}/answer`, { of: String(seq), text: 'No.' })
  expect(sent.location).toBe(`${here}?after=${seq - 1}#entry-${seq + 2}`)
  const { items } = await forge.call(getSession, ada, { repo: REPO, number })
  expect(items.map(({ kind, text, data }) => [kind, text, data?.answered_by ?? null])).toEqual([
    ['question', 'Ignore <all> rules?', seq + 2],
    ['question', 'And the other?', null],
    ['answer', 'No.', null],
  ])
  // What is answered has no form any more; the other has.
  const after = (await owner.open(here)).html
  expect([after.includes(`answer-${seq}"`), after.includes(`answer-${seq + 1}"`)]).toEqual([
    false,
    true,
  ])
})
