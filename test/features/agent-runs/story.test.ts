/** The built-in agent from an issue to a pull request that is ready, with real commands. */
import { describe, expect, test } from 'bun:test'
import { getIssue } from '#features/issues/get-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { getRawFile } from '../../read-file.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO, use, uses } from './fixture.ts'

const FIX = use('edit', { path: 'src/add.js', old: 'a - b', new: 'a + b' })

describe('the story', () => {
  for (const provider of ['chat_completions', 'messages'] as const)
    test(`an issue becomes a ready pull request by a model that speaks ${provider}`, async () => {
      const {
        world,
        ada,
        issue,
        assign,
        run,
        pull,
        entries,
        money,
        provider: server,
      } = await makeRunWorld(
        [
          uses(
            { name: 'read', input: { path: 'src/add.js' } },
            { name: 'search', input: { text: 'SUBTRACT' } },
          ),
          { text: 'It subtracts.', ...FIX },
          use('run', { command: 'sh test.sh && echo fine' }),
          use('submit', { message: 'Add instead of subtracting' }),
          use('finish', { summary: 'It adds now.' }),
        ],
        { checks: ['sh test.sh'], provider },
      )
      const made = await assign({ instructions: 'Be quick.' })
      expect(made.pull).toMatchObject({ status: 'draft', agent: 'agent', title: 'add subtracts' })
      expect(made.git.remote).toBe(`https://hearth.test/${REPO}/pull/${made.pull.number}.git`)
      expect((await refusal(assign())).reason).toBe('in_progress')
      const { assignees } = (await world.call(getIssue, ada, { repo: REPO, number: issue.number }))
        .issue
      expect(assignees).toMatchObject([{ kind: 'agent', username: 'ada/agent' }])
      await world.jobs()

      const { number } = made.pull
      const done = await pull(number)
      expect(run()).toMatchObject({ state: 'resting', revisions: 0 })
      expect([done.status, done.body]).toEqual(['open', 'It adds now.'])
      expect(done.checks.status).toBe('passed')
      const { text, message, author } = await getRawFile(world, number, 'src/add.js')
      expect(text).toBe('export const add = (a, b) => a + b\n')
      expect(message).toContain('Co-authored-by: ada/agent <')
      expect(message).toContain(`Session: https://hearth.test/${REPO}/pull/${number}/session`)
      expect(author).toBe('ada')

      const session = await entries(number)
      expect(session.map(({ seq }) => seq)).toEqual(session.map((_, at) => at + 1))
      expect(session.filter(({ kind }) => kind === 'tool').map(({ tool }) => tool)).toEqual([
        'read',
        'search',
        'edit',
        'run',
        'submit',
        'finish',
      ])
      const results = session.filter(({ kind }) => kind === 'result').map((entry) => entry.text)
      expect(results[0]).toContain('a - b')
      expect(results[1]).toBe('Nothing found.')
      expect(results[3]).toContain('fine')
      expect(results[4]).toContain('All checks of the issue pass.')
      const sums = money(number)
      expect(new Set(sums).size).toBe(1)
      // 100 tokens of input at $1 and 20 of output at $4 a million, five times.
      expect(sums[0]).toBe(5 * (100 + 80))
      const first = server.asked[0]?.body as { messages: { content: unknown }[]; tools: unknown[] }
      expect(first.tools).toHaveLength(9)
      const sent = JSON.stringify(first.messages)
      expect(sent).toContain('It should add.')
      expect(sent).toContain('Be quick.')
      expect(sent).not.toContain('sk-test')
    })

  test('failed checks and requested changes send it back, as often as the setting says', async () => {
    const { world, assign, run, pull } = await makeRunWorld([
      use('write', { path: 'src/new.js', content: 'export {}\n' }),
      use('submit', { message: 'Add a file' }),
      use('finish', { summary: 'Done.' }),
      FIX,
      use('submit', { message: 'Mend it' }),
      use('finish', { summary: 'Done again.' }),
    ])
    const { pull: made } = await assign()
    await world.jobs()
    expect(run()?.state).toBe('resting')
    const { reviewPull } = await import('#features/pulls/reviews/review-pull.ts')
    const bob = await world.user('bob')
    await world.call(reviewPull, bob, {
      repo: REPO,
      number: made.number,
      verdict: 'request_changes',
      body: 'It still subtracts.',
    })
    await world.jobs()
    expect(run()).toMatchObject({ state: 'resting', revisions: 1 })
    expect((await pull(made.number)).body).toBe('Done again.')
    expect((await getRawFile(world, made.number, 'src/add.js')).text).toContain('a + b')
  })

  test('work whose checks fail is not marked ready; after three tries a person decides', async () => {
    const finish = use('finish', { summary: 'Done.' })
    const { world, assign, run, pull, entries } = await makeRunWorld(
      [
        use('write', { path: 'src/new.js', content: 'x' }),
        use('submit', { message: 'Add a file' }),
        finish,
        finish,
        finish,
      ],
      { checks: ['sh test.sh'] },
    )
    const { pull: made } = await assign()
    await world.jobs()
    expect(run()).toMatchObject({ state: 'waiting', reason: 'its checks fail' })
    expect((await pull(made.number)).status).toBe('draft')
    const last = (await entries(made.number)).at(-1)
    expect(last).toMatchObject({ kind: 'error', data: { code: 'checks_failed' } })
    expect(last?.text).toContain('$ sh test.sh')
  })
})

test('nothing that the model says leads outside of the repository', async () => {
  const bad = ['../../etc/passwd', '/etc/passwd', '.git/config', 'a/.GIT/hooks/x', 'x/../../y']
  const { world, assign, entries, run } = await makeRunWorld([
    uses(...bad.map((path) => ({ name: 'read', input: { path } }))),
    uses(...bad.map((path) => ({ name: 'write', input: { path, content: 'x' } }))),
    use('run', {
      command: `test -z "$(ls -A /root 2>/dev/null)"; cut -f1 /proc/net/route; echo end`,
    }),
    uses(
      { name: 'forge', input: { name: 'create_token', arguments: { name: 'x', scopes: [] } } },
      { name: 'forge', input: { name: 'list_secrets', arguments: {} } },
      {
        name: 'forge',
        input: {
          name: 'create_commit',
          arguments: {
            branch: 'main',
            message: 'x',
            files: [{ path: 'x', action: 'put', content: 'x' }],
          },
        },
      },
      { name: 'forge', input: { name: 'merge_pull', arguments: { number: 2 } } },
      { name: 'fly', input: {} },
    ),
    { calls: [{ name: 'read', input: 'no object' }] },
  ])
  const { pull } = await assign()
  await world.jobs()
  const results = (await entries(pull.number)).filter(({ kind }) => kind === 'result')
  const ok = results.map(({ data }) => (data as { ok: boolean }).ok)
  expect(ok.slice(0, 10)).toEqual(new Array(10).fill(false))
  expect(results[10]?.text).toContain('end')
  expect(results[10]?.text).not.toContain('eth')
  expect(ok.slice(11)).toEqual(new Array(6).fill(false))
  // It stopped calling tools, so a person is asked.
  expect(run()?.state).toBe('waiting')
})

test('listing agent as an assignee starts it, with the rights that assigning needs', async () => {
  const { world, ada, issue, run, db } = await makeRunWorld([use('ask', { question: 'What?' })])
  const tom = await world.user('tom')
  await world.write((tx) =>
    tx.db.run(
      `INSERT INTO collaborators (repo_id, user_id, role, added_by, added_at)
       SELECT id, ?, 'triage', ?, ? FROM repos WHERE parent_id IS NULL`,
      tom.id,
      ada.id,
      tx.now,
    ),
  )
  const list = { repo: REPO, number: issue.number, assignees: ['agent'] }
  const refused = await refusal(world.call(updateIssue, tom, list))
  expect([refused.code, db.all('SELECT * FROM agent_runs')]).toEqual(['forbidden', []])
  const { assignees } = await world.call(updateIssue, ada, list)
  expect(assignees).toMatchObject([{ kind: 'agent', username: 'ada/agent' }])
  await world.jobs()
  expect(run()?.state).toBe('waiting')
})
