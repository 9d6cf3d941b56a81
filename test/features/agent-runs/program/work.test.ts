/** What sends an agent program back to work, and what ends it. */
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { abortWork } from '#features/agent-runs/running.ts'
import { workAgent } from '#features/agent-runs/work-agent.ts'
import { answerAgent } from '#features/agent-runs/answer-agent.ts'
import { programLimits } from '#features/agent-runs/program/limits.ts'
import { removeAgentProgram } from '#features/agent-runs/program/remove-agent-program.ts'
import { resumeAgent } from '#features/agent-runs/resume-agent.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import { getAgent } from '#features/agents/get-agent.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { getRawFile } from '../../../read-file.ts'
import { refusal } from '../../../world.ts'
import { REPO } from '../fixture.ts'
import { does, makeProgramWorld } from './fixture.ts'

const FIXED = 'export const add = (a, b) => a + b\n'
const FIX = { write: ['src/add.js', FIXED] }

test('failed checks send it back in the same session, before anybody sees the change', async () => {
  const { assign, world, run, pull, provider, entries } = await makeProgramWorld(
    [does({ write: ['other.txt', 'x'] }, { say: 'Done.' }), does(FIX, { say: 'Mended.' })],
    { checks: ['sh test.sh'] },
  )
  const made = await assign()
  await world.jobs()
  expect(run()?.state).toBe('resting')
  expect((await pull(made.pull.number)).body).toBe('Mended.')
  const second = provider.asked[1]?.body as { messages: { role: string; content: string }[] }
  expect(second.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(second.messages[2]?.content).toContain('$ sh test.sh')
  // What it replays when it loads its session is not written again.
  const texts = (await entries(made.pull.number)).map(({ text }) => text)
  expect(texts.filter((text) => text.includes('replayed'))).toEqual([])
})

test('requested changes send it back, as often as the setting says', async () => {
  const { assign, world, run, pull, ada } = await makeProgramWorld([
    does({ write: ['a.txt', 'a'] }, { say: 'First.' }),
    does(FIX, { say: 'Second.' }),
  ])
  await world.call(updateRepoSettings, ada, { repo: REPO, max_revisions: 1 })
  const { number } = (await assign()).pull
  await world.jobs()
  const bob = await world.user('bob')
  const ask = { repo: REPO, number, verdict: 'request_changes' as const, body: 'It subtracts.' }
  await world.call(reviewPull, bob, ask)
  await world.jobs()
  expect(run()).toMatchObject({ state: 'resting', revisions: 1 })
  expect((await pull(number)).body).toBe('Second.')
  expect((await getRawFile(world, number, 'src/add.js')).text).toBe(FIXED)
  await world.call(reviewPull, bob, ask)
  await world.jobs()
  expect(run()).toMatchObject({ state: 'waiting', revisions: 1 })
})

test('a turn without a change is a question, and its answer is the next turn', async () => {
  const { assign, world, run, ada, provider, pull } = await makeProgramWorld([
    does({ say: 'Tabs or spaces?' }),
    does(FIX, { say: 'Done with tabs.' }),
  ])
  const { number } = (await assign()).pull
  await world.jobs()
  const agent = { repo: REPO, id: run()?.agent_id ?? '' }
  expect(run()).toMatchObject({ state: 'waiting', reason: 'it asked a question' })
  expect((await world.call(getAgent, ada, agent)).asked).toBe(true)
  await world.call(answerAgent, ada, { ...agent, text: 'Tabs.' })
  await world.jobs()
  expect(run()?.state).toBe('resting')
  expect((await pull(number)).status).toBe('open')
  expect(JSON.stringify(provider.asked[1]?.body)).toContain('Tabs.')
})

for (const [answer, granted] of [
  ['Allow', 'once'],
  ['no, leave it', 'no'],
] as const)
  test(`a person is asked for commands where the setting says so, and answers ${granted}`, async () => {
    const { assign, world, run, ada, entries } = await makeProgramWorld([
      does({ permission: ['edit', 'Write a'] }, { permission: ['execute', 'rm -rf /'] }, FIX, {
        say: 'Done.',
      }),
    ])
    await world.call(updateRepoSettings, ada, { repo: REPO, agent_permissions: 'ask_execute' })
    const { number } = (await assign()).pull
    const jobs = world.jobs()
    while (run()?.state !== 'waiting') await Bun.sleep(20)
    const questions = (await entries(number)).filter(({ kind }) => kind === 'question')
    expect(questions.map(({ text }) => text)).toEqual([expect.stringContaining('rm -rf /')])
    await world.call(answerAgent, ada, { repo: REPO, id: run()?.agent_id ?? '', text: answer })
    await jobs
    expect(run()?.state).toBe('resting')
    const texts = (await entries(number)).map(({ text }) => text)
    expect(texts).toContain('permission: once')
    expect(texts.join('\n')).toContain(`permission: ${granted}`)
  })

test('a permission that nobody answers in time ends the turn, and the run waits', async () => {
  const { assign, world, run, ada } = await makeProgramWorld([
    does({ permission: ['execute', 'make'] }, { stop: 'cancelled' }),
    does(FIX, { say: 'Done.' }),
  ])
  await world.call(updateRepoSettings, ada, { repo: REPO, agent_permissions: 'ask_all' })
  const limits = programLimits(world.hearth) as { askMs: number }
  limits.askMs = 100
  await assign()
  await world.jobs()
  expect(run()).toMatchObject({ state: 'waiting', reason: 'it asked a question' })
  await world.call(answerAgent, ada, { repo: REPO, id: run()?.agent_id ?? '', text: 'Yes.' })
  await world.jobs()
  expect(run()?.state).toBe('resting')
})

test('a stop ends its processes at once, and its files are removed', async () => {
  const { assign, world, run, ada, entries } = await makeProgramWorld([
    does({ run: 'echo begun' }, { hang: 1 }),
  ])
  const { number } = (await assign()).pull
  const jobs = world.jobs()
  while (!(await entries(number)).some(({ text }) => text.includes('begun'))) await Bun.sleep(20)
  await world.call(stopAllAgents, ada, { repo: REPO, reason: 'enough' })
  await jobs
  await world.jobs()
  expect(run()).toMatchObject({ state: 'stopped', reason: 'enough' })
  expect(readdirSync(join(world.data, 'agents'))).toEqual([])
})

test('its files and its home stay while it rests, and go with its pull request', async () => {
  const { assign, world, run, ada } = await makeProgramWorld([does(FIX, { say: 'Done.' })])
  const { number } = (await assign()).pull
  await world.jobs()
  expect(readdirSync(join(world.data, 'agents'))).toEqual([run()?.agent_id ?? ''])
  await world.call(closePull, ada, { repo: REPO, number })
  await world.jobs()
  expect(run()?.state).toBe('finished')
  expect(readdirSync(join(world.data, 'agents'))).toEqual([])
})

test('a cap stops it before a call that it does not pay for', async () => {
  const { assign, world, run, pull } = await makeProgramWorld([does(FIX, { say: 'Done.' })], {
    maxUsd: 0.000001,
  })
  const { number } = (await assign()).pull
  await world.jobs()
  expect(run()).toMatchObject({ state: 'stopped', reason: 'cost_cap' })
  expect((await pull(number)).status).toBe('draft')
})

test('a program is named by assignee too, and waits when it is removed', async () => {
  const { world, ada, admin, issue, run } = await makeProgramWorld([does({ say: 'What?' })])
  const list = (assignee: string) =>
    world.call(updateIssue, ada, { repo: REPO, number: issue.number, assignees: [assignee] })
  expect((await refusal(list('agent/none'))).message).toContain('there are robot')
  const { assignees } = await list('agent/robot')
  expect(assignees).toMatchObject([{ kind: 'agent', username: 'ada/robot' }])
  await world.jobs()
  await world.call(removeAgentProgram, admin, { name: 'robot' })
  await world.call(resumeAgent, ada, { repo: REPO, id: run()?.agent_id ?? '' })
  await world.jobs()
  expect(run()?.reason).toBe('an administrator has removed the program robot')
})

test('it goes on in its session and with its files after the process has ended', async () => {
  const { assign, world, run, entries, provider, db } = await makeProgramWorld([
    does({ write: ['begun.txt', 'begun'] }, { run: 'echo begun' }, { hang: 1 }),
    does(FIX, { say: 'Done.' }),
  ])
  const { number } = (await assign()).pull
  const jobs = world.jobs()
  while (!(await entries(number)).some(({ text }) => text.includes('begun\n'))) await Bun.sleep(20)
  const { agent_id } = run() ?? { agent_id: '' }
  // As if the process had ended: its work is cut off, and its job is there for the next one.
  abortWork(world.hearth, agent_id)
  await jobs
  const before = (await entries(number)).length
  expect(run()?.state).toBe('working')
  await world.write((tx) => tx.enqueue(workAgent, { agent_id }, { key: agent_id }))
  await world.jobs()
  expect(run()?.state).toBe('resting')
  const sent = JSON.stringify(provider.asked[1]?.body)
  expect(sent).toContain('The service was restarted')
  expect((await getRawFile(world, number, 'begun.txt')).text).toBe('begun')
  const after = await entries(number)
  expect(after.map(({ seq }) => seq)).toEqual(after.map((_, at) => at + 1))
  expect(after.slice(before).filter(({ text }) => text.includes('begun\n'))).toEqual([])
  expect(db.all('SELECT * FROM model_calls')).toHaveLength(2)
})
