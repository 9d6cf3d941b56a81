/** The timelines of issues and pull requests say what changed, not only which field. */
import { expect, test } from 'bun:test'
import { createIssue, createMilestone, updateIssue } from '#features/issues/index.ts'
import {
  cancelReviewRequest,
  createPull,
  markPullReady,
  requestReview,
  updatePull,
} from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  for (const title of ['First', 'Second'])
    await forge.call(createMilestone, ada, { repo: REPO, title })
  const events = async (path: string): Promise<string[]> => {
    const { html } = await (await forge.browser('ada')).open(path)
    return [...html.matchAll(/<div class="event-text">(.*?)<time/gs)].map(([, text = '']) =>
      text
        .replace(/<svg.*?<\/svg>/gs, '')
        .replace(/<[^>]+>/g, '')
        .replace(/\s+/g, ' ')
        .replace(/^\s*ada /, '')
        .trim(),
    )
  }
  return { forge, ada, events }
}

test('an issue says which labels, title, milestone and people changed', async () => {
  const { forge, ada, events } = await setUp()
  const { number } = await forge.call(createIssue, ada, {
    repo: REPO,
    title: 'Old <name>',
    labels: ['bug'],
  })
  const change = (input: object) => forge.call(updateIssue, ada, { repo: REPO, number, ...input })
  await change({ title: 'New name', body: 'Text' })
  await change({ labels: ['docs', 'feature'] })
  await change({ milestone: 'First' })
  await change({ milestone: 'Second' })
  await change({ milestone: null })
  await change({ assignees: ['bob'] })
  await change({ assignees: ['ada'] })
  expect(await events(`/${REPO}/issues/${number}`)).toEqual([
    'changed the title from “Old &lt;name&gt;” to “New name”, edited the description',
    'added the labels docs, feature and removed the label bug',
    'added this to the milestone First',
    'moved this from the milestone First to Second',
    'removed this from the milestone Second',
    'assigned bob',
    'assigned ada and unassigned bob',
  ])
})

test('a pull request says which base and reviewers changed', async () => {
  const { forge, ada, events } = await setUp()
  for (const branch of ['fix', 'next'])
    await forge.call(createBranch, ada, { repo: REPO, branch, from: 'main' })
  await forge.commit(REPO, 'fix', { 'a.txt': 'b\n' })
  const { pull } = await forge.call(createPull, ada, { repo: REPO, branch: 'fix', title: 'Fix' })
  const on = { repo: REPO, number: pull.number }
  await forge.call(markPullReady, ada, { ...on, summary: 'Done' })
  await forge.call(requestReview, ada, { ...on, users: ['bob'] })
  await forge.call(cancelReviewRequest, ada, { ...on, users: ['bob'] })
  await forge.call(updatePull, ada, { ...on, base: 'next', labels: ['bug'] })
  const shown = await events(`/${REPO}/pull/${pull.number}`)
  expect(shown).toContain('requested a review from bob')
  expect(shown).toContain('cancelled the review request to bob')
  expect(shown).toContain('added the label bug, changed the base branch from main to next')
})
