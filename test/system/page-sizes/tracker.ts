/** Issues, pull requests, reviews, sessions and plans with very long texts. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, withToken } from '../../../scripts/support/git.ts'
import { REPO, until, type Filling } from './filling.ts'
import { denseText, longDocument, longLine, longLines } from './texts.ts'

const AT = `/repos/${REPO}`

const labelName = (at: number): string => `${at} "label" & <it> with a long name`.padEnd(48, '.')

async function fillIssues({ ask, times }: Filling): Promise<number> {
  await times(100, (at) =>
    ask('POST', `${AT}/labels`, {
      name: labelName(at),
      color: 'b3420f',
      description: longLine(190, at),
    }),
  )
  await times(60, (at) =>
    ask('POST', `${AT}/milestones`, {
      title: longLine(250, at),
      description: at % 2 === 0 ? longDocument(65_000) : denseText(65_000),
      due_on: '2031-05-01T00:00:00Z',
    }),
  )
  const { number } = await ask('POST', `${AT}/issues`, {
    title: longLine(250),
    body: longDocument(65_000),
    labels: Array.from({ length: 90 }, (_, at) => labelName(at)),
    checks: Array.from({ length: 20 }, (_, at) => `echo "${longLine(900, at)}"`),
    milestone: longLine(250, 3),
    assignees: ['ada'],
  })
  await times(150, (at) =>
    ask('POST', `${AT}/issues`, {
      title: longLine(255, at),
      body: denseText(65_000),
      labels: Array.from({ length: 30 }, (_, by) => labelName((at + by) % 100)),
      ...(at > 100 && { blocked_by: [Number(number), Number(number) + 1] }),
    }),
  )
  for (let at = 0; at < 80; at++) {
    const body = at % 2 === 0 ? longDocument(65_000) : denseText(60_000)
    await ask('POST', `${AT}/issues/${String(number)}/comments`, { body })
    if (at % 4 === 0)
      await ask('PATCH', `${AT}/issues/${String(number)}`, { title: longLine(250, at) })
  }
  return Number(number)
}

const reviewBody = (at: number): string =>
  `${denseText(at % 2 === 0 ? 300 : 30_000)}\n\n\`\`\`suggestion\n${longLine(at % 3 === 0 ? 200 : 9_000, at)}\n\`\`\``

async function fillPull({ ask, askAsReviewer, times }: Filling): Promise<number> {
  const { pull } = (await ask('POST', `${AT}/pulls`, {
    branch: 'change',
    base: 'main',
    title: longLine(250),
    body: longDocument(65_000),
  })) as { pull?: { number: number } } & Record<string, unknown>
  const list = (await ask('GET', `${AT}/pulls`)) as unknown as { number: number }[]
  const number = pull?.number ?? list[0]?.number ?? 0
  const at = `${AT}/pulls/${number}`
  await ask('PATCH', at, { labels: Array.from({ length: 90 }, (_, by) => labelName(by)) })
  await times(40, (by) =>
    ask('POST', `${AT}/issues/${number}/comments`, { body: longDocument(65_000 - by) }),
  )
  for (let by = 0; by < 15; by++)
    await askAsReviewer('POST', `${at}/reviews`, {
      verdict: 'comment',
      body: denseText(20_000),
      comments: Array.from({ length: 20 }, (_, line) => ({
        path: line % 2 === 0 ? 'docs/log.txt' : `many/file-${line}-with-a-long-name.ts`,
        line: line % 2 === 0 ? by * 20 + line + 100 : 1,
        side: 'new',
        body: reviewBody(line),
      })),
    })
  return number
}

/** A pull request of an agent from outside, with its session, and checks that print much. */
async function fillSession({ hearth, token, ask }: Filling): Promise<number> {
  const issue = await ask('POST', `${AT}/issues`, {
    title: longLine(250, 7),
    body: longDocument(60_000),
    checks: Array.from(
      { length: 8 },
      (_, at) => `cat docs/log.txt # ${longLine(700, at).replaceAll('"', '')}`,
    ),
  })
  const begun = (await ask('POST', `${AT}/pulls`, { issue: issue.number, agent: 'thermo' })) as {
    pull: { number: number }
    git: { remote: string }
  }
  const { number } = begun.pull
  const work = mkdtempSync(join(hearth.work, 'fork-'))
  await git(work, 'clone', '-q', withToken(begun.git.remote, token), 'work')
  const fork = join(work, 'work')
  writeFileSync(join(fork, 'docs/log.txt'), longLines(400))
  await git(fork, 'commit', '-q', '-am', longLine(250))
  await git(fork, 'push', '-q', 'origin', 'HEAD')
  for (const kind of ['message', 'thought', 'tool', 'edit', 'summary', 'status', 'question'])
    for (let at = 0; at < 6; at++)
      await ask('POST', `${AT}/pulls/${number}/session`, {
        entries: Array.from({ length: 10 }, (_, by) => ({
          kind,
          text: by % 2 === 0 ? longDocument(60_000) : denseText(60_000),
          ...(kind === 'tool' && {
            tool: longLine(60, by),
            data: { ok: false, input: longLine(9_000) },
          }),
          ...(kind === 'edit' && {
            data: { paths: Array.from({ length: 60 }, (_, n) => `docs/${longLine(100, n)}`) },
          }),
        })),
      })
  await ask('POST', `${AT}/pulls/${number}/ready`, { summary: longDocument(65_000) })
  await until('the end of the checks', async () => {
    const { checks_status } = await ask('GET', `${AT}/pulls/${number}`)
    return ['pending', 'running', 'queued'].includes(String(checks_status)) ? undefined : true
  })
  return number
}

async function fillPlan({ ask }: Filling): Promise<string> {
  const plan = await ask('POST', `${AT}/plans`, {
    brief: longDocument(19_000),
    issues: Array.from({ length: 50 }, (_, at) => ({
      title: longLine(250, at),
      body: at % 2 === 0 ? longDocument(14_000) : denseText(14_000),
      checks: Array.from({ length: 4 }, (_, by) => longLine(500, by)),
      labels: Array.from({ length: 20 }, (_, by) => labelName(by)),
      paths: Array.from({ length: 10 }, (_, by) => `many/${'long/'.repeat(20)}${by}`),
      depends_on: at === 0 ? [] : [at],
    })),
  })
  return String(plan.id)
}

export async function fillTracker(filling: Filling): Promise<string[]> {
  const { ask, times } = filling
  const issue = await fillIssues(filling)
  const pull = await fillPull(filling)
  const session = await fillSession(filling)
  const plan = await fillPlan(filling)
  await times(200, (at) =>
    ask('POST', `${AT}/memory`, {
      text: longLine(1_990, at),
      kind: 'gotcha',
      scope: at % 2 === 0 ? 'workspace' : 'project',
      ...(at % 2 === 1 && {
        paths: Array.from({ length: 5 }, (_, by) => `many/file-${by}-with-a-long-name.ts`),
      }),
    }),
  )
  const here = `/${REPO}`
  return [
    `${here}/issues`,
    `${here}/issues/board`,
    `${here}/issues/board?by=label`,
    `${here}/issues/new`,
    `${here}/issues/new?template=long.yml`,
    `${here}/issues/new?template=long.md`,
    `${here}/issues/${issue}`,
    `${here}/issues/${issue}/edit`,
    `${here}/labels`,
    `${here}/milestones`,
    `${here}/pulls`,
    `${here}/pulls/new`,
    `${here}/pull/${pull}`,
    `${here}/pull/${pull}/edit`,
    `${here}/pull/${pull}/changes`,
    `${here}/pull/${pull}/changes?view=split`,
    `${here}/pull/${session}`,
    `${here}/pull/${session}/session`,
    `${here}/pull/${session}/checks`,
    `${here}/plans/${plan}`,
    `${here}/memory`,
    `/library/-/memory`,
    `${here}/tickets?reference=%23${issue}`,
    ...['issue', 'pull', 'commit', 'file'].map(
      (kind) =>
        `/library/-/context/entity?kind=${kind}&id=${encodeURIComponent(`${REPO}#${issue}`)}`,
    ),
    `/library/-/context/entity?kind=file&id=${encodeURIComponent(`${REPO}:README.md`)}`,
    '/library/-/context?q=rye',
    '/search?q=rye',
    '/search?q=rye&type=code',
    '/search?q=rye&type=issues',
    '/search?q=rye&type=commits',
  ]
}
