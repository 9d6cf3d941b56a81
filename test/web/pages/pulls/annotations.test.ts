/** What jobs and scanners say, below the lines of a change. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'bun:test'
import type { Feature } from '#core/hearth.ts'
import { features } from '#features/index.ts'
import { createPull, getPull } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { uploadSarif } from '#features/security/index.ts'
import { finishJob, takeQueuedJob, workflowRunners } from '#features/workflows/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { sarif } from '../../../features/security/code-scanning/fixture.ts'
import { diffAnchor } from '#web/components/index.ts'
import { extend, FILE, ONE_JOB, RUNNER } from '../../../features/workflows/fixture.ts'
import { browserPage, findFaults } from './browser-page.ts'

const REPO = 'acme/site'
const LINES = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`)
const PLACE = { step: 1, end_line: null, column: null, title: null }

async function setUp() {
  // The forge of the pages is a copy, so its features are complete from the start.
  const all = features as Feature[]
  all.unshift({
    name: 'runners of a test',
    extensions: [
      workflowRunners.with({ name: 'local', accepts: (_, labels) => RUNNER.accepts(labels) }),
    ],
  })
  const forge = await runForge()
  all.shift()
  extend(forge.hearth, [])
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': LINES.join('') }, { as: ada })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(
    REPO,
    'fix',
    { [FILE]: ONE_JOB, 'a.txt': LINES.with(4, 'five <changed>\n').join('') },
    { as: ada },
  )
  const { pull } = await forge.call(createPull, ada, { repo: REPO, branch: 'fix', title: 'Fix' })
  await forge.jobs()
  const job = await takeQueuedJob(forge.hearth, RUNNER)
  await finishJob(forge.hearth, job?.id ?? '', {
    conclusion: 'failure',
    reason: null,
    outputs: {},
    annotations: [
      { ...PLACE, level: 'failure', file: 'a.txt', line: 5, message: 'It <broke>' },
      { ...PLACE, level: 'warning', file: './a.txt', line: 6, title: 'Unused', message: 'x' },
      { ...PLACE, level: 'notice', file: 'a.txt', line: 50, message: 'far away' },
      { ...PLACE, level: 'failure', file: null, line: null, message: 'of no file' },
    ],
  })
  const { pull: now } = await forge.call(getPull, ada, { repo: REPO, number: pull.number })
  const sha = now.head?.sha ?? ''
  await forge.call(uploadSarif, ada, {
    repo: REPO,
    commit_sha: sha,
    git_ref: `refs/pull/${pull.number}/head`,
    sarif: gzipSync(JSON.stringify(sarif([{ path: 'a.txt', line: 5 }]))).toString('base64'),
  })
  await forge.jobs()
  return { forge, job: job?.id ?? '', sha, changes: `/${REPO}/pull/${pull.number}/changes` }
}

/** What stands below the row of a line of the new side of a.txt. */
function below(html: string, line: number): string {
  const [, after = ''] = html.split(`id="${diffAnchor('a.txt')}R${line}"`)
  const [, next = ''] = after.split('<tr', 2)
  return next.startsWith(' class="thread-row"') || next.startsWith(' class=thread-row') ? next : ''
}

test.each(['', '?view=split'])('annotations stand below their lines (%p)', async (view) => {
  const { forge, job, changes, sha } = await setUp()
  const browser = await forge.browser('ada')
  const { html } = await browser.open(`${changes}${view}`)
  const five = below(html, 5)
  expect(five).toContain('It &lt;broke')
  expect(five).toContain(`/job/${job}"`)
  expect(five).toContain('Query from user input')
  expect(five).toMatch(/security\/code-scanning\/csa_/)
  expect(below(html, 6)).toContain('Unused')
  expect(below(html, 7)).toBe('')
  expect(html).toContain('1 annotation of a line that is not shown here')
  expect(html).toContain('far away')
  expect(html).not.toContain('of no file')

  // Lines that are expanded show theirs.
  const more = await browser.open(`${changes}?expand=9-52:a.txt`)
  expect(below(more.html, 50)).toContain('far away')
  expect(more.html).not.toContain('not shown here')

  // A visitor sees what jobs say, which everybody can read, and no alerts.
  const visitor = await forge.browser(null)
  const seen = below((await visitor.open(`${changes}${view}`)).html, 5)
  expect([seen.includes('It &lt;broke'), seen.includes('Query from')]).toEqual([true, false])
  const commit = await visitor.open(`/${REPO}/commit/${sha}`)
  expect(below(commit.html, 5)).toContain('It &lt;broke')
})

test('a comment form opens below annotations, which stay when it is closed', async () => {
  const { forge, changes } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(changes)
  await page.locator(`.diff-lines a[href$="on=${diffAnchor('a.txt')}R5"]`).click()
  await page.waitForSelector('.thread:has(.line-annotation) .line-form')
  await page.locator('.line-form').getByText('Cancel').click()
  expect(await page.locator('.line-form').count()).toBe(0)
  expect(await page.locator('.thread-row .line-annotation').count()).toBe(3)
  expect(await findFaults(page)).toEqual([])
  expect(problems).toEqual([])
})
