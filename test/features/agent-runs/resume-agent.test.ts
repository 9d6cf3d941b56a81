import { expect, test } from 'bun:test'
import { resumeAgent } from '#features/agent-runs/resume-agent.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { workAgent } from '#features/agent-runs/work-agent.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO, use } from './fixture.ts'

const SUBMIT = [
  use('write', { path: 'a', content: 'a' }),
  use('submit', { message: 'a' }),
  use('finish', { summary: 'a' }),
]

test('a model that fails or says nothing lets the agent wait, and a person lets it go on', async () => {
  const { world, ada, assign, run, entries } = await makeRunWorld([
    { status: 400 },
    { text: 'I am done.' },
    { text: 'I am really done.' },
    ...SUBMIT,
  ])
  const { pull } = await assign()
  await world.jobs()
  const target = { repo: REPO, id: run()?.agent_id ?? '' }
  expect(run()?.state).toBe('waiting')
  expect(run()?.reason).toContain('status 400')
  expect((await entries(pull.number)).at(-1)).toMatchObject({ kind: 'error' })
  await world.call(resumeAgent, ada, target)
  await world.jobs()
  expect(run()?.reason).toContain('without finishing')
  await world.call(resumeAgent, ada, { ...target, message: 'Write a.' })
  await world.jobs()
  expect(run()?.state).toBe('resting')
  expect((await refusal(world.call(resumeAgent, ada, target))).reason).toBe('not_ready')
})

test('what a provider says of its key and its address is for people with Write', async () => {
  const { assign, world, run, entries } = await makeRunWorld([
    { status: 401, message: 'Incorrect key of org-1234 at 10.1.2.3' },
  ])
  const { pull } = await assign()
  await world.jobs()
  expect(run()?.reason).toContain('Incorrect key of org-1234 at 10.1.2.3')
  const told = JSON.stringify(await entries(pull.number))
  expect(told).toContain('the model provider answered with status 401')
  expect(told).toContain('an owner can test the connection')
  expect(told).not.toContain('org-1234')
  expect(told).not.toContain('10.1.2.3')
})

test('work goes on from its rows after the process ended in the middle of a call', async () => {
  let sent = ''
  const { world, assign, run, db } = await makeRunWorld([
    use('run', { command: 'echo once' }),
    ({ body }) => {
      sent = JSON.stringify(body.messages)
      return SUBMIT[0] ?? {}
    },
    ...SUBMIT.slice(1),
  ])
  const { pull } = await assign()
  // As if the process had ended while the command ran.
  const id = run()?.agent_id ?? ''
  await world.write((tx) => {
    tx.db.run(`INSERT INTO agent_turns VALUES (?, 2, 'model', '')`, id)
    tx.db.run(
      `INSERT INTO agent_calls VALUES (?, 2, 0, 'c1', 'run', '{"command":"echo once"}', 'started', NULL)`,
      id,
    )
    tx.db.run(`UPDATE agent_runs SET state = 'working'`)
    tx.enqueue(workAgent, { agent_id: id }, { key: id })
  })
  await world.jobs()
  expect(run()?.state).toBe('resting')
  expect(sent).toContain('what it did is not known')
  const commits = await world.hearth.git.countCommits(
    db.one<{ store: string }>('SELECT store FROM repos WHERE parent_id IS NULL')?.store ?? '',
    {
      tips: [
        db.one<{ sha: string }>(`SELECT head_sha AS sha FROM pulls WHERE number = ${pull.number}`)
          ?.sha ?? '',
      ],
    } as never,
  )
  expect(commits).toBe(2)
})

test('stopping ends the work at once: no call of the model follows', async () => {
  let release = (): void => {}
  const asked = Promise.withResolvers<void>()
  const held = new Promise<void>((resolve) => (release = resolve))
  const { world, ada, assign, run, provider } = await makeRunWorld([
    () => {
      asked.resolve()
      return { ...use('write', { path: 'a', content: 'a' }), after: held }
    },
    ...SUBMIT,
  ])
  await assign()
  const jobs = world.jobs()
  await asked.promise
  const [agent] = await world.call(stopAllAgents, ada, { repo: REPO, reason: 'enough' })
  expect(agent?.state).toBe('stopped')
  await jobs
  release()
  expect(run()).toMatchObject({ state: 'stopped', reason: 'enough' })
  expect(provider.asked).toHaveLength(1)
  const again = await world.call(stopAgent, ada, { repo: REPO, id: run()?.agent_id ?? '' })
  expect(again.state).toBe('stopped')
})

test('a closed pull request finishes its agent, and the issue can be assigned again', async () => {
  const { world, ada, assign, run } = await makeRunWorld([use('ask', { question: 'What?' })])
  const { pull } = await assign()
  await world.jobs()
  await world.call(closePull, ada, { repo: REPO, number: pull.number })
  expect(run()?.state).toBe('finished')
  expect((await assign()).pull.number).toBe(pull.number + 1)
})
