/**
 * The page of checks: what it shows, its buttons, its log, and what it streams while commands run.
 */
import { expect, test } from 'bun:test'
import { isolationOf } from '#features/checks/runner.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getPullChecks } from '#features/pulls/checks/get-pull-checks.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { until } from '../../../features/checks/fixture.ts'

async function setUp(commands: string[], author: 'ada' | 'out' = 'ada') {
  const forge = await runForge()
  const isolation = await isolationOf(forge.hearth)
  if (isolation.kind !== 'bubblewrap')
    throw new Error('commands cannot be isolated here: apt-get install bubblewrap')
  const ada = await forge.user('ada')
  const out = await forge.user('out')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  const issue = await forge.call(createIssue, author === 'ada' ? ada : out, {
    repo: 'acme/site',
    title: 'Checked',
    checks: commands,
  })
  await forge.call(createBranch, ada, { repo: 'acme/site', branch: 'feature', from: 'main' })
  await forge.commit('acme/site', 'feature', { 'a.txt': 'b\n' })
  const { pull } = await forge.call(createPull, ada, {
    repo: 'acme/site',
    branch: 'feature',
    issue: issue.number,
  })
  const page = `/acme/site/pull/${pull.number}/checks`
  const checks = () => forge.call(getPullChecks, ada, { repo: 'acme/site', number: pull.number })
  return {
    forge,
    ada,
    page,
    checks,
    owner: await forge.browser('ada'),
    visitor: await forge.browser(null),
  }
}

const results = (html: string): string[] =>
  [...html.matchAll(/<summary>.*?<\/summary>/gs)]
    .map(({ 0: text }) =>
      text
        .replace(/<svg.*?<\/svg>/gs, '')
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => / (Passed|Failed|Skipped|Queued|Did not finish|Running)$/.test(text))

test('shows each command with its escaped output, and buttons to those who may use them', async () => {
  const { forge, page, checks, owner, visitor } = await setUp([
    `echo '<script>alert(1)</script>'; exit 4`,
    'echo fine',
  ])
  const before = await owner.open(page)
  expect(before.html).toContain('Checks are running')
  expect(before.html).toContain(`data-live="${page}/live?state=`)
  await forge.jobs()
  const { html, status } = await owner.open(page)
  expect(status).toBe(200)
  expect(html).toContain('Checks failed')
  expect(results(html)).toEqual([
    expect.stringMatching(/exit 4 .*Failed$/),
    expect.stringMatching(/^echo fine .*Passed$/),
  ])
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).not.toContain('<script>alert(1)')
  expect(html).not.toContain('data-live=')
  expect(html).toContain(`action="${page}/rerun"`)
  const seen = await visitor.open(page)
  expect(seen.html).toContain('Checks failed')
  expect(seen.html).not.toContain(`action="${page}/rerun"`)

  const [first] = (await checks()).results
  const log = await visitor.open(`${page}/${first?.id}.log`)
  expect([log.status, log.headers.get('content-type'), log.html]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '<script>alert(1)</script>\n',
  ])
  expect(first?.log_url).toBe(`${forge.url}${page}/${first?.id}.log`)
  expect((await visitor.open(`${page}/chk_nothing.log`)).status).toBe(404)
  expect((await visitor.open(page.replace('/checks', ''))).html).toContain(`href="${page}"`)
})

test('runs them again and cancels them, without a script', async () => {
  const { forge, page, checks, owner } = await setUp(['echo working; sleep 4981'])
  const jobs = forge.jobs()
  await until(async () => (await checks()).results[0]?.output_tail === 'working\n')
  const running = await owner.open(page)
  expect(running.html).toContain('working\n</pre>')
  const sent = await owner.press(running.html, `${page}/cancel`, {})
  expect([sent.status, sent.location]).toEqual([303, page])
  await jobs
  const cancelled = await owner.open(page)
  expect(cancelled.html).toContain('Cancelled by ada.')
  expect(results(cancelled.html)).toEqual([expect.stringMatching(/Did not finish$/)])
  expect((await owner.press(cancelled.html, `${page}/rerun`, {})).status).toBe(303)
  const again = await owner.press(cancelled.html, `${page}/rerun`, {})
  expect([again.status, again.html.includes('cancel them first')]).toEqual([422, true])
  expect(await checks()).toMatchObject({ status: 'pending' })
})

test(`says that strangers' commands wait, and lets a person with write let them run`, async () => {
  const { forge, page, checks, owner, visitor } = await setUp(['echo of a stranger'], 'out')
  await forge.jobs()
  const { html } = await owner.open(page)
  expect(html).toContain('the commands are by out')
  expect(html).toContain('Approve and run')
  expect((await visitor.open(page)).html).not.toContain('Approve and run')
  await owner.press(html, `${page}/rerun`, {})
  await forge.jobs()
  expect(await checks()).toMatchObject({ status: 'passed' })
})

test('streams output, and says when the page must be loaded again', async () => {
  const { forge, page, owner } = await setUp([
    'echo first; sleep 0.6; echo second; sleep 0.6; echo third',
  ])
  const jobs = forge.jobs()
  let html = ''
  await until(async () => {
    html = (await owner.open(page)).html
    return html.includes('first\n</pre>')
  })
  const live = /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const response = await fetch(forge.url + live)
  expect(response.headers.get('content-type')).toStartWith('text/event-stream')
  const text = await response.text()
  await jobs
  const events = text.split('\n\n').filter((part) => part.includes('event:'))
  const written = events
    .filter((part) => part.includes('event: text'))
    .map((part) => (JSON.parse(/data: (.*)/.exec(part)?.[1] ?? '{}') as { text: string }).text)
    .join('')
  expect(written).toBe('second\nthird\n')
  expect(events.at(-1)).toBe('event: changed\ndata: null')
  expect((await fetch(forge.url + live.replace('/pull/', '/pull/9'))).status).toBe(404)
})
